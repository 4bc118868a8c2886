import { objectOf, readJson, refusal, textOf } from '@spandrel/plugin-api';

export interface QdrantClientOptions {
  url: string;
  apiKey: string | undefined;
  timeoutMs: number;
}

/** An answer of Qdrant's that is no success. */
export class QdrantError extends Error {
  override readonly name = 'QdrantError';

  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

const MESSAGE_LENGTH_MAX = 300;

/** Qdrant's HTTP API: JSON both ways, the key in the header `api-key`, `result` of the answer. */
export class QdrantClient {
  constructor(private readonly options: QdrantClientOptions) {}

  /**
   * @param path below the server's URL, encoded.
   * @throws QdrantError; with `refused: true` for 400, 413 and 422. What `fetch` throws, when the server cannot be
   *   reached or takes too long.
   */
  async send(method: 'GET' | 'PUT' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const { url, apiKey, timeoutMs } = this.options;
    const response = await fetch(url.replace(/(?<!\/)\/+$/, '') + path, {
      method,
      headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { 'api-key': apiKey }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = readJson(await response.text());
    if (response.ok) return objectOf(answer)['result'];
    const said = textOf(objectOf(objectOf(answer)['status'])['error']) ?? 'no message';
    const message = `Qdrant answers HTTP ${response.status}: ${said.slice(0, MESSAGE_LENGTH_MAX)}`;
    if (REFUSED.has(response.status)) throw refusal(message);
    throw new QdrantError(message, response.status);
  }
}

const REFUSED = new Set([400, 413, 422]);
