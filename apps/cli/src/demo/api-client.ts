import { StartError } from '@spandrel/kernel/launch';

/** A body that is no JSON object. */
interface FileBody {
  text: string;
  mediaType: string;
}

/** An answer that the caller did not want: its status beside the words for the user. */
class ApiFault extends StartError {
  constructor(
    readonly status: number,
    fault: string,
  ) {
    super([fault]);
  }
}

/** The public API, called as any other program calls it. */
export class ApiClient {
  /**
   * @param url without a slash at the end.
   * @param key for cloud mode; `null`: none is sent.
   * @param startCommand what starts a server there, for the message when none answers.
   */
  constructor(
    private readonly url: string,
    private readonly key: string | null,
    private readonly startCommand: string,
  ) {}

  get = <Answer>(path: string): Promise<Answer> => this.call<Answer>('GET', path);
  post = <Answer>(path: string, body: object): Promise<Answer> => this.call<Answer>('POST', path, body);
  put = <Answer>(path: string, body: object): Promise<Answer> => this.call<Answer>('PUT', path, body);

  /** Sends a file's text. */
  upload = <Answer>(path: string, file: FileBody): Promise<Answer> => this.call<Answer>('POST', path, file);

  /** @returns what is at the path, or `undefined` where there is nothing. */
  find = <Answer>(path: string): Promise<Answer | undefined> => unlessMissing(this.get<Answer>(path));

  /** @returns whether there was something to delete. */
  delete = async (path: string): Promise<boolean> =>
    (await unlessMissing(this.call<object>('DELETE', path))) !== undefined;

  /** Every item of a list, page by page. @param path with a query. */
  async list<Item>(path: string, member: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Record<string, unknown> = await this.get(
        `${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      items.push(...(page[member] as Item[]));
      cursor = page['next_cursor'] as string | null;
    }
    return items;
  }

  /** Whether pages for people are served at the same address: where the feature is left out or nothing was built, none are. */
  async hasDashboard(): Promise<boolean> {
    const { ok } = await fetch(`${this.url}/traces`, { method: 'HEAD' });
    return ok;
  }

  /** @throws ApiFault for every status but success; StartError when nothing that speaks HTTP and JSON answers. */
  private async call<Answer>(method: string, path: string, body?: object | FileBody): Promise<Answer> {
    const { text, mediaType } = bodyOf(body);
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.key !== null && { authorization: `Bearer ${this.key}` }),
        ...(mediaType !== undefined && { 'content-type': mediaType }),
      },
      ...(text !== undefined && { body: text }),
    }).catch((error: unknown) => {
      throw new StartError([
        `${this.url}: Spandrel does not answer there (${reasonOf(error)}); start it: ${this.startCommand}`,
      ]);
    });
    const answer = parsed(await response.text());
    if (answer === undefined) throw new StartError([`${this.url}: what answers there is not the API of Spandrel`]);
    if (response.ok) return answer as Answer;
    const { detail, title } = answer as { detail?: string; title?: string };
    throw new ApiFault(
      response.status,
      this.faultOf(response.status, `${method} ${path}: ${response.status} ${detail ?? title ?? ''}`),
    );
  }

  private faultOf(status: number, fault: string): string {
    if (status !== 401) return fault;
    return this.key === null
      ? `${this.url}: the API asks for a key: give one with the scopes read and write in SPANDREL_API_KEY`
      : `${this.url}: the API does not take the key of SPANDREL_API_KEY; it must be valid, with the scopes read and write`;
  }
}

async function unlessMissing<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiFault && error.status === 404) return undefined;
    throw error;
  }
}

function bodyOf(body: object | FileBody | undefined): { text?: string; mediaType?: string } {
  if (body === undefined) return {};
  if ('mediaType' in body) return body as FileBody;
  return { text: JSON.stringify(body), mediaType: 'application/json' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why a request got no answer, in the words of the system: `ECONNREFUSED`. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
  return cause?.code ?? cause?.message ?? message;
}
