import { ERRORS, credentialSchema, type CredentialResource } from '@spandrel/contract';
import { Agent } from 'undici';

/** What the API says of a key. */
export type CredentialAnswer =
  | { kind: 'known'; credential: CredentialResource }
  /** No key of its own, or no longer one. */
  | { kind: 'refused' }
  /** Nothing: it is away, or what answers is not the API. */
  | { kind: 'unavailable'; message: string };

/** Asks the API about keys: `GET /api/credential` (docs/spec/access.md#what-a-credential-is). */
export class CredentialClient {
  private readonly agent: Agent;
  private readonly origin: string;
  private readonly path: string;

  constructor(
    apiUrl: string,
    private readonly timeoutMs: number,
  ) {
    const url = new URL(apiUrl);
    this.origin = url.origin;
    this.path = `${url.pathname.replace(/\/+$/, '')}/api/credential`;
    this.agent = new Agent({ connections: 8, connect: { timeout: timeoutMs } });
  }

  async ask(authorization: string): Promise<CredentialAnswer> {
    try {
      const { statusCode, body } = await this.agent.request({
        origin: this.origin,
        path: this.path,
        method: 'GET',
        headers: { authorization },
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      return readAnswer(statusCode, await body.text());
    } catch {
      return { kind: 'unavailable', message: 'no answer' };
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

function readAnswer(status: number, text: string): CredentialAnswer {
  if (status === ERRORS.unauthenticated.status || status === ERRORS.insufficient_scope.status) {
    return { kind: 'refused' };
  }
  if (status !== 200) return { kind: 'unavailable', message: `HTTP ${status}` };
  const credential = credentialSchema.safeParse(attemptJson(text)).data;
  return credential ? { kind: 'known', credential } : { kind: 'unavailable', message: 'what answers is not the API' };
}

function attemptJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
