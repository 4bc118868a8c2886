import { ERRORS, credentialSchema, type CredentialResource } from '@spandrel/contract';
import { Agent } from 'undici';
import { attemptJson } from '../attempt-json.js';
import { untrustedCertificate } from '../untrusted-certificate.js';
import { isWrongCredential } from './is-wrong-credential.js';

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
  /** Opens a connection a question: the second try of one whose kept-alive connection had been closed. */
  private readonly freshAgent: Agent;
  private readonly origin: string;
  private readonly path: string;

  constructor(
    apiUrl: string,
    private readonly timeoutMs: number,
  ) {
    const url = new URL(apiUrl);
    this.origin = url.origin;
    this.path = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/api/credential`;
    const options = { connections: 8, connect: { timeout: timeoutMs } };
    this.agent = new Agent(options);
    this.freshAgent = new Agent({ ...options, pipelining: 0 });
  }

  async ask(authorization: string): Promise<CredentialAnswer> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      return await this.askThrough(this.agent, authorization, signal);
    } catch (error) {
      if (!isClosed(error)) return noAnswer(error);
    }
    return this.askThrough(this.freshAgent, authorization, signal).catch(noAnswer);
  }

  async close(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.freshAgent.destroy()]);
  }

  private async askThrough(agent: Agent, authorization: string, signal: AbortSignal): Promise<CredentialAnswer> {
    const { origin, path } = this;
    const { statusCode, body } = await agent.request({
      origin,
      path,
      method: 'GET',
      headers: { authorization },
      signal,
    });
    return readAnswer(statusCode, await body.text());
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

function readAnswer(status: number, text: string): CredentialAnswer {
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
