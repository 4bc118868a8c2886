import { ERRORS, credentialSchema, type CredentialResource } from '@spandrel/contract';
import { ApiRequests, attemptJson, isWrongCredential, untrustedCertificate, type ApiAnswer } from './api-requests.js';

/** What the API says of a key. */
export type CredentialAnswer =
  | { kind: 'known'; credential: CredentialResource }
  /** No key of its own, or no longer one. */
  | { kind: 'refused' }
  /** Nothing: it is away, or what answers is not the API. */
  | { kind: 'unavailable'; message: string };

/** Asks the API about keys: `GET /api/credential` (docs/spec/access.md#what-a-credential-is). */
export class CredentialClient {
  private readonly requests: ApiRequests;
  /** For the second try of a question whose kept-alive connection had been closed. */
  private readonly freshRequests: ApiRequests;

  constructor(
    apiUrl: string,
    private readonly timeoutMs: number,
  ) {
    this.requests = new ApiRequests(apiUrl, timeoutMs, 8);
    this.freshRequests = new ApiRequests(apiUrl, timeoutMs, 8, true);
  }

  async ask(authorization: string): Promise<CredentialAnswer> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    const askBy = async (requests: ApiRequests): Promise<CredentialAnswer> =>
      readAnswer(await requests.send('/api/credential', authorization, undefined, signal));
    try {
      return await askBy(this.requests);
    } catch (error) {
      if (!isClosed(error)) return noAnswer(error);
    }
    return askBy(this.freshRequests).catch(noAnswer);
  }

  async close(): Promise<void> {
    await Promise.all([this.requests.close(), this.freshRequests.close()]);
  }
}

const noAnswer = (error: unknown): CredentialAnswer => ({
  kind: 'unavailable',
  message: untrustedCertificate(error) ?? 'no answer',
});

/** Whether a connection was closed under a question, as the API does with idle ones at any time (ADR 0018). */
function isClosed(error: unknown): boolean {
  const { code } = Object(error) as NodeJS.ErrnoException;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

function readAnswer({ status, text }: ApiAnswer): CredentialAnswer {
  if (status === ERRORS.too_many_wrong_credentials.status && isWrongCredential(attemptJson(text)))
    return { kind: 'refused' };
  if (status === ERRORS.unauthenticated.status || status === ERRORS.insufficient_scope.status) {
    return { kind: 'refused' };
  }
  if (status !== 200) return { kind: 'unavailable', message: `HTTP ${status}` };
  const credential = credentialSchema.safeParse(attemptJson(text)).data;
  return credential
    ? { kind: 'known', credential }
    : { kind: 'unavailable', message: 'the answer is not that of a Spandrel API: check gateway.api_url' };
}
