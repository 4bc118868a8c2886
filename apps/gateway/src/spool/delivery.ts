import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestRejection, IngestResult } from '@spandrel/contract';
import { inTurns, type Logger } from '@spandrel/kernel';
import { readJson } from '@spandrel/plugin-api';
import { ApiRequests, isWrongCredential, untrustedCertificate, type ApiAnswer } from '../access/api-requests.js';
import type { CallerKey } from '../access/caller-key.js';
import { type CallerQueue, type SpoolItem, CircuitBreaker, type RetryOptions } from './caller-queue.js';
import type { Spool } from './spool.js';
import { fitSpanInPieces, withoutContent } from '../recording/fit-span.js';

export interface DeliveryOptions extends Partial<RetryOptions> {
  /** How long items gather before they are sent. */
  flushMs: number;
  itemsMax?: number;
  bytesMax?: number;
  /** Deliveries of one queue under way. */
  queueParallel?: number;
  /** Deliveries under way. */
  parallel?: number;
  /** Pause while the API refuses us. */
  deniedMs?: number;
  /** How long items wait for a key that is not at hand. */
  keylessMs?: number;
  /** The API has refused a caller's credential. */
  onUnauthenticated?: (digest: string) => void;
}

/** How often a flush looks whether all is delivered. */
const FLUSH_LOOK_MS = 5;
/** No timer is set for longer. */
const TIMER_MS_MAX = 3_600_000;

/**
 * Empties the spool into the API: in batches, again and again until each item is taken or known to be unacceptable
 * (docs/spec/gateway.md#delivering-a-callers-recordings). Each {@link CallerQueue} has a retry schedule of its own, so that a
 * credential that the API refuses or slows down holds up no other's recordings; a {@link CircuitBreaker} holds all of them back
 * while the API is away.
 */
export class Delivery {
  /** What the last contact with the API showed; `null` before the first. */
  apiUp: boolean | null = null;
  /** When that was, on the clock of `performance.now()`. */
  contactAt = -Infinity;

  private readonly options: Required<DeliveryOptions>;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Infinity;
  private underWay = 0;
  private readonly breaker: CircuitBreaker;
  private closed = false;
  private readonly logged = new Set<string>();

  constructor(
    private readonly spool: Spool,
    private readonly client: IngestClient,
    private readonly logger: Logger,
    options: DeliveryOptions,
  ) {
    this.options = {
      itemsMax: 500,
      bytesMax: 4 * 1024 * 1024,
      queueParallel: 2,
      parallel: 8,
      retryMs: 200,
      retryMaxMs: 5_000,
      deniedMs: 10_000,
      keylessMs: 24 * 3_600_000,
      onUnauthenticated: () => undefined,
      ...options,
    };
    this.breaker = new CircuitBreaker(this.options);
  }

  /** There is something to deliver in a queue. */
  wake(queue: CallerQueue): void {
    const { schedule } = queue;
    if (this.closed || schedule.dueAt !== Infinity) return;
    const { flushMs, itemsMax, queueParallel, keylessMs } = this.options;
    const now = performance.now();
    const full = queue.waiting >= itemsMax && queue.deliveriesUnderWay < queueParallel;
    schedule.dueAt = queue.deliverable ? Math.max(full ? now : now + flushMs, schedule.pausedUntil) : now + keylessMs;
    this.planAt(schedule.dueAt);
  }

  /** Wakes every queue. */
  wakeAll(): void {
    for (const queue of this.spool.all()) this.wake(queue);
  }

  /** Sends what there is without waiting. @returns true when all was delivered in time. */
  async flush(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      const queues = [...this.spool.all()].filter(({ deliverable }) => deliverable);
      if (queues.length === 0) break;
      const soon = performance.now() + 100;
      this.breaker.openUntil = Math.min(this.breaker.openUntil, soon);
      for (const { schedule } of queues) {
        schedule.pausedUntil = Math.min(schedule.pausedUntil, soon);
        schedule.dueAt = schedule.pausedUntil;
      }
      this.pump();
      await sleep(FLUSH_LOOK_MS);
    }
    return this.spool.count === 0;
  }

  close(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private planAt(at: number): void {
    if (this.closed || (this.timer && this.timerAt <= at)) return;
    if (this.timer) clearTimeout(this.timer);
    this.timerAt = at;
    const waitMs = Math.min(TIMER_MS_MAX, Math.max(0, at - performance.now()));
    this.timer = setTimeout(() => {
      this.timer = null;
      this.pump();
    }, waitMs).unref();
  }

  /** Begins every delivery that is due and has room; plans the next look. */
  private pump(): void {
    if (this.closed) return;
    const now = performance.now();
    let next = Infinity;
    for (const queue of [...this.spool.all()]) {
      const dueAt = Math.max(queue.schedule.dueAt, queue.deliverable ? this.breaker.openUntil : 0);
      if (dueAt > now) next = Math.min(next, dueAt);
      else if (queue.deliverable) this.serve(queue);
      else this.giveUp(queue);
    }
    if (next !== Infinity) this.planAt(next);
  }

  /** Stays due when there is no room: the end of a delivery looks again. */
  private serve(queue: CallerQueue): void {
    // While the API is down one request at a time asks for it.
    const parallel = this.breaker.isClosed ? this.options.parallel : 1;
    const queueParallel = this.breaker.isClosed ? this.options.queueParallel : 1;
    if (this.underWay >= parallel || queue.deliveriesUnderWay >= queueParallel) return;
    queue.schedule.dueAt = Infinity;
    this.spool.toBack(queue);
    while (this.underWay < parallel && queue.deliveriesUnderWay < queueParallel) {
      const { part } = queue.schedule;
      const batch = this.spool.take(queue, Math.ceil(this.options.itemsMax * part), this.options.bytesMax * part);
      if (batch.length === 0) return;
      void this.deliver(queue, batch);
    }
  }

  private async deliver(queue: CallerQueue, batch: SpoolItem[]): Promise<void> {
    this.underWay++;
    queue.deliveriesUnderWay++;
    try {
      await this.send(queue, batch);
    } catch (error) {
      batch.forEach((item) => this.spool.putBack(item));
      queue.schedule.pause(this.options.deniedMs);
      this.logger.error({ err: error }, 'delivering recordings failed');
    } finally {
      this.underWay--;
      queue.deliveriesUnderWay--;
      if (queue.waiting > 0) this.wake(queue);
      if (this.spool.count > 0) this.planAt(performance.now());
    }
  }

  /**
   * Sends a batch, and settles each of its items in the spool: delivered, dropped, made smaller or waiting on. A batch that the
   * API refuses is halved until the item at fault stands alone, which is tried once more, cut down.
   */
  private async send(queue: CallerQueue, items: SpoolItem[]): Promise<void> {
    const batch = items.filter(({ queued }) => queued);
    if (batch.length === 0) return;
    const answer = await this.client.send(batch, queue.caller);
    this.noteAnswer(queue, answer);
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
        // A recording by which the API fails holds up none of those behind it.
        if (batch.length === 1 && answer.kind === 'unavailable') queue.toBack(batch[0]!);
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
      this.logOnce(`refused ${message}`, 'the API does not take a recording', { message });
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

  /** Nobody has come with the key that these were recorded under. */
  private giveUp(queue: CallerQueue): void {
    this.logger.warn(
      { recordings: queue.count },
      'recordings of an earlier run are dropped: no caller has sent their key again',
    );
    this.spool.dropQueue(queue, 'unauthorized');
  }

  /** Notes what an answer means for the deliveries to come. */
  private noteAnswer(queue: CallerQueue, answer: IngestAnswer): void {
    this.contactAt = performance.now();
    const up = answer.kind !== 'unavailable';
    if (up && this.apiUp === false) this.logger.info('the API is back; delivering recordings');
    this.apiUp = up;
    const { schedule, caller } = queue;
    if (answer.kind === 'unavailable') {
      if (this.breaker.isClosed) {
        this.logger.warn({ reason: answer.message }, 'the API cannot be reached; recordings wait in the spool');
      }
      this.breaker.failed(answer.retryAfterMs ?? 0);
      // What fails by one queue's fault becomes rarer although others get through in between.
      schedule.failed(this.options);
      schedule.part /= 2;
      return;
    }
    this.breaker.succeeded();
    if (answer.kind === 'limited') schedule.failed(this.options, answer.retryAfterMs ?? 1_000);
    else schedule.succeeded();
    if (answer.kind === 'denied') this.deny(queue, answer.message);
    if (answer.kind !== 'unauthenticated') return;
    if (caller === null) this.deny(queue, 'HTTP 401');
    else this.options.onUnauthenticated(caller.digest);
  }

  private deny({ schedule, caller }: CallerQueue, message: string): void {
    const whose = caller === null ? 'recordings; check api_url and api_key' : 'recordings of a caller';
    this.logOnce(`denied ${whose} ${message}`, `the API refuses ${whose}`, { message });
    schedule.pause(this.options.deniedMs);
  }

  private logOnce(key: string, message: string, fields: Record<string, unknown>): void {
    if (this.logged.has(key) || this.logged.size > 100) return;
    this.logged.add(key);
    this.logger.error(fields, message);
  }
}

const TOO_LARGE = 'payload_too_large';

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
      return readAnswer(await this.requests.send('/api/ingest', authorization, await inTurns(batchBody(batch))));
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

/** So much of a body is encoded at once. */
const ENCODED_BYTES = 64 * 1024;
const encoder = new TextEncoder();

/** Joins what is JSON already, piece by piece: undici would encode megabytes at once. */
function* batchBody(batch: readonly SpoolItem[]): Generator<void, Buffer, void> {
  const traces = batch.map(({ trace }) => trace).filter((trace) => trace !== null);
  const spans = batch.flatMap(({ span }, index) => (index === 0 ? span : [',', span]));
  const texts = ['{"traces":[', traces.join(','), '],"spans":[', ...spans, ']}'];
  const body = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let at = 0;
  for (const text of texts) {
    for (let start = 0; start < text.length;) {
      const { read, written } = encoder.encodeInto(text.slice(start), body.subarray(at, at + ENCODED_BYTES));
      start += read;
      at += written;
      yield;
    }
  }
  return body;
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
