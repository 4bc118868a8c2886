/** Speaks to the API in cloud mode with a key of an organization that is hardly limited. */
export class Caller {
  readonly base: string;
  readonly headers: Record<string, string>;
  private constructor(base: string, credential: string) {
    this.base = base;
    this.headers = { 'content-type': 'application/json', authorization: `Bearer ${credential}` };
  }

  static async withKey(base: string, adminToken: string): Promise<Caller> {
    const operator = new Caller(base, adminToken);
    const org = await operator.post<{ id: string }>('/api/orgs', {
      name: 'bench',
      plan: 'enterprise',
      rate_limit: 1_000_000,
    });
    const project = await operator.post<{ id: string }>(`/api/orgs/${org.id}/projects`, { name: 'bench' });
    const { key } = await operator.post<{ key: string }>('/api/keys', {
      project_id: project.id,
      name: 'bench',
      scopes: ['read', 'write', 'ingest'],
    });
    return new Caller(base, key);
  }

  /** Speaks with a key that was made before. */
  static of(base: string, key: string): Caller {
    return new Caller(base, key);
  }

  /** The key it speaks with. */
  get key(): string {
    return this.headers['authorization']!.slice('Bearer '.length);
  }

  post = <Answer>(path: string, body: object): Promise<Answer> =>
    this.answer<Answer>(fetch(this.base + path, { method: 'POST', headers: this.headers, body: JSON.stringify(body) }));

  put = <Answer>(path: string, body: object): Promise<Answer> =>
    this.answer<Answer>(fetch(this.base + path, { method: 'PUT', headers: this.headers, body: JSON.stringify(body) }));

  get = <Answer>(path: string): Promise<Answer> =>
    this.answer<Answer>(fetch(this.base + path, { headers: { authorization: this.headers['authorization']! } }));

  private async answer<Answer>(sent: Promise<Response>): Promise<Answer> {
    const response = await sent;
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }
}
