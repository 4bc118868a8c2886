import { Agent } from 'undici';
import type { ErrorCode, Problem } from '@spandrel/contract';

export interface ApiAnswer {
  status: number;
  /** The header `Retry-After`. */
  retryAfter: string | undefined;
  text: string;
}

/** Requests to the Spandrel API over kept-alive connections. */
export class ApiRequests {
  private readonly agent: Agent;
  private readonly origin: string;
  private readonly basePath: string;

  /**
   * @param connections the most that are open at a time.
   * @param isFresh whether each request has a connection of its own.
   */
  constructor(
    apiUrl: string,
    private readonly timeoutMs: number,
    connections: number,
    isFresh = false,
  ) {
    const url = new URL(apiUrl);
    this.origin = url.origin;
    this.basePath = url.pathname.replace(/(?<!\/)\/+$/, '');
    this.agent = new Agent({ connections, connect: { timeout: timeoutMs }, ...(isFresh && { pipelining: 0 }) });
  }

  /**
   * Asks the API, with `POST` where there is a body of JSON.
   * @param path below the API's address, `/api/ingest`.
   * @param signal ends the request; after the time limit of these requests when left out.
   * @throws what the connection throws.
   */
  async send(
    path: string,
    authorization: string | null,
    body?: Buffer,
    signal = AbortSignal.timeout(this.timeoutMs),
  ): Promise<ApiAnswer> {
    const answer = await this.agent.request({
      origin: this.origin,
      path: this.basePath + path,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(authorization !== null && { authorization }),
      },
      ...(body !== undefined && { body }),
      signal,
    });
    const retryAfter = answer.headers['retry-after'];
    return { status: answer.statusCode, retryAfter: retryAfter?.toString(), text: await answer.body.text() };
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

const CODES: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** @returns what to do about an API whose certificate this program does not trust; `null` for any other error. */
export function untrustedCertificate(error: unknown): string | null {
  const { code } = Object(error) as NodeJS.ErrnoException;
  if (!CODES.has(code)) return null;
  return `the certificate at gateway.api_url is not trusted here (${code}): NODE_EXTRA_CA_CERTS can name the certificate of an authority of your own`;
}

/**
 * Whether the API says in an error that no credential matches, or that too many from here did not. A proxy before it may answer
 * 401 and 429 too, which says nothing about the credential.
 */
export function isWrongCredential(problem: unknown): boolean {
  const code = (problem as Partial<Problem> | null | undefined)?.code;
  return (
    code === ('unauthenticated' satisfies ErrorCode) || code === ('too_many_wrong_credentials' satisfies ErrorCode)
  );
}
