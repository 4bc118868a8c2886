import type { IngestRejection, IngestResult } from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import { readJson } from '@spandrel/plugin-api';
import type { CallerQueue, SpoolItem } from './caller-queue.js';
import type { Spool } from './spool.js';
import { fitSpanInPieces, withoutContent } from '../recording/fit-span.js';
import { ApiRequests, isWrongCredential, untrustedCertificate, type ApiAnswer } from '../access/api-requests.js';
import type { CallerKey } from '../access/caller-key.js';

const TOO_LARGE = 'payload_too_large';

/** Called with each answer of the API, before it is acted upon. */
export interface BatchSenderObserver {
  onAnswer(queue: CallerQueue, answer: IngestAnswer): void;
  /** The API does not take a recording. */
  onRefused(message: string): void;
}

/**
 * Sends a batch, and settles each of its items in the spool: delivered, dropped, made smaller or waiting on. A batch that the
 * API refuses is halved until the item at fault stands alone, which is tried once more, cut down.
 */
export class BatchSender {
  constructor(
    private readonly spool: Spool,
    private readonly client: IngestClient,
    private readonly observer: BatchSenderObserver,
  ) {}

  async send(queue: CallerQueue, items: SpoolItem[]): Promise<void> {
    const batch = items.filter(({ queued }) => queued);
    if (batch.length === 0) return;
    const answer = await this.client.send(batch, queue.caller);
    this.observer.onAnswer(queue, answer);
    switch (answer.kind) {
      case 'taken':
        await this.settle(batch, answer.result.rejected);
        return;
      case 'too-large':
      case 'refused':
        await this.split(queue, batch, answer);
        return;
      case 'unauthenticated':
        batch.forEach((item) => this.spool.putBack(item));
        // A caller's recordings go to nobody else; the gateway's own key may be mended by a person.
        if (queue.caller !== null) this.spool.dropQueue(queue, 'unauthorized');
        return;
      default:
        batch.forEach((item) => this.spool.putBack(item));
    }
  }

  private async split(
    queue: CallerQueue,
    batch: SpoolItem[],
    answer: IngestAnswer & { kind: 'refused' | 'too-large' },
  ): Promise<void> {
    if (batch.length > 1) {
      const half = batch.length >> 1;
      await this.send(queue, batch.slice(0, half));
      await this.send(queue, batch.slice(half));
      return;
    }
    await this.reduceOrDrop(batch[0]!, answer.kind === 'refused' ? answer.message : TOO_LARGE);
  }

  private async reduceOrDrop(item: SpoolItem, message: string): Promise<void> {
    if (item.reduced) {
      this.spool.drop(item, 'rejected');
      this.observer.onRefused(message);
      return;
    }
    this.spool.shrink(item, await reducedSpan(item, message === TOO_LARGE));
  }

  private async settle(batch: SpoolItem[], rejected: readonly IngestRejection[]): Promise<void> {
    const traceRejections = new Set(
      rejected.filter(({ collection }) => collection === 'traces').map(({ index }) => index),
    );
    const spanRejections = new Map(
      rejected.filter(({ collection }) => collection === 'spans').map((rejection) => [rejection.index, rejection]),
    );
    let traceIndex = 0;
    const toReduce: [SpoolItem, string][] = [];
    batch.forEach((item, index) => {
      const traceRejected = item.trace !== null && traceRejections.has(traceIndex++);
      const rejection = spanRejections.get(index);
      if (rejection === undefined) this.spool.delivered(item);
      // The trace was there when the call began: someone has deleted it since, and the recording with it.
      else if (rejection.code === 'trace_not_found' && item.trace === null) this.spool.drop(item, 'trace_deleted');
      else toReduce.push([item, traceRejected ? `trace: ${rejection.code}` : rejection.code]);
    });
    for (const [item, message] of toReduce) await this.reduceOrDrop(item, message);
  }
}

/** Below this a recording that is too large is not shortened again but stripped. */
const SHORTENED_CHARS_MIN = 16 * 1024;

/**
 * What is tried when the API has refused an item: shorter texts where it was too large; else, and when little is left to
 * shorten, a span without input, output and parameters, which hold what may be too deep or not storable; then nothing is left to
 * take off. What takes long is done in turns with others.
 */
async function reducedSpan(item: SpoolItem, tooLarge: boolean): Promise<string> {
  const { span } = item;
  if (tooLarge && span.length > SHORTENED_CHARS_MIN) return inTurns(fitSpanInPieces(span, span.length >> 1));
  item.reduced = true;
  return withoutContent(span);
}

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
  if ((status === 401 || status === 429) && isWrongCredential(readJson(text))) return { kind: 'unauthenticated' };
  if (status === 429) return { kind: 'limited', retryAfterMs };
  if (status === 408 || status >= 500) return { kind: 'unavailable', message, retryAfterMs };
  return { kind: 'denied', message };
}

function readResult(text: string): IngestAnswer {
  const result = readJson(text) as Partial<IngestResult> | null | undefined;
  if (result?.accepted !== undefined) {
    return { kind: 'taken', result: { accepted: result.accepted, rejected: result.rejected ?? [] } };
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
