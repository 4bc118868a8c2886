import type { IngestResult } from '@spandrel/contract';
import {
  ApiRequests,
  attemptJson,
  isWrongCredential,
  untrustedCertificate,
  type ApiAnswer,
} from '../access/api-requests.js';
import type { CallerKey } from '../access/caller-key.js';
import type { SpoolItem } from './spool-item.js';

/** How the API took a batch. */
export type IngestAnswer =
  | { kind: 'taken'; result: IngestResult }
  /** The batch is over a limit of size. */
  | { kind: 'too-large' }
  /** The API refuses the batch; sending it again would not help. */
  | { kind: 'refused'; message: string }
  /** The API says that the credential is not valid, or no longer valid. */
  | { kind: 'unauthenticated' }
  /** The API does not allow it, or the answer is not from an API; only a person can help. */
  | { kind: 'denied'; message: string }
  /** The rate limit of the organization is reached. */
  | { kind: 'limited'; retryAfterMs: number | null }
  /** The API cannot take it now; the same batch may be sent again later. */
  | { kind: 'unavailable'; message: string; retryAfterMs: number | null };

/** Sends batches to `POST /api/ingest` (docs/spec/ingest.md#one-request). */
export class IngestClient {
  private readonly requests: ApiRequests;
  private readonly ownAuthorization: string | null;

  /** @param apiKey the gateway's own credential, for recordings without a caller's. */
  constructor(apiUrl: string, apiKey: string | null, timeoutMs: number) {
    this.requests = new ApiRequests(apiUrl, timeoutMs, 10);
    this.ownAuthorization = apiKey === null ? null : `Bearer ${apiKey}`;
  }

  /** @param batch items of one queue, which has a credential. */
  async send(batch: readonly SpoolItem[], caller: CallerKey | null): Promise<IngestAnswer> {
    const authorization = caller === null ? this.ownAuthorization : caller.authorization;
    try {
      return readAnswer(await this.requests.send('/api/ingest', authorization, batchBody(batch)));
    } catch (error) {
      return { kind: 'unavailable', message: messageOf(error), retryAfterMs: null };
    }
  }

  /** Whether the API answers at all. */
  async ping(): Promise<boolean> {
    try {
      const { status } = await this.requests.send('/api/health', null, undefined, AbortSignal.timeout(1_000));
      return status < 500;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.requests.close();
  }
}

/** Joins what is JSON already. */
function batchBody(batch: readonly SpoolItem[]): string {
  const traces = batch.map(({ trace }) => trace).filter((trace) => trace !== null);
  return `{"traces":[${traces.join(',')}],"spans":[${batch.map(({ span }) => span).join(',')}]}`;
}

function readAnswer({ status, retryAfter, text }: ApiAnswer): IngestAnswer {
  if (status >= 200 && status < 300) return readResult(text);
  const message = `HTTP ${status}`;
  if (status === 413) return { kind: 'too-large' };
  if (status === 400 || status === 422) return { kind: 'refused', message };
  const seconds = Number(retryAfter ?? NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
  if ((status === 401 || status === 429) && isWrongCredential(attemptJson(text))) return { kind: 'unauthenticated' };
  if (status === 429) return { kind: 'limited', retryAfterMs };
  if (status === 408 || status >= 500) return { kind: 'unavailable', message, retryAfterMs };
  return { kind: 'denied', message };
}

function readResult(text: string): IngestAnswer {
  try {
    const result = JSON.parse(text) as Partial<IngestResult> | null;
    if (result?.accepted !== undefined) {
      return { kind: 'taken', result: { accepted: result.accepted, rejected: result.rejected ?? [] } };
    }
  } catch {
    // Not the API's answer.
  }
  return { kind: 'denied', message: 'the answer is not that of a Spandrel API: check gateway.api_url' };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const untrusted = untrustedCertificate(error);
  if (untrusted !== null) return untrusted;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' ? code : error.name === 'TimeoutError' ? 'timed out' : error.message;
}
