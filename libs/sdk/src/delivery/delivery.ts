import { finishAtExit, nothingAtExit, onSignals } from './at-exit.js';
import type { Batch, BodyRoom } from './batch.js';
import { PACE, type DeliverySettings, type Pace } from './delivery-settings.js';
import { Losses } from './losses.js';
import { FlushWaiters, Pauses, type FlushResult } from './pauses.js';
import { Queue, type OutgoingSpan, type OutgoingTrace } from './queue.js';
import type { Answer, PostSettings } from './post-batch.js';
import { systemTimers, type Timers } from './timers.js';

/** A timer or an answer so late will not come: the function was frozen, or the request they belong to is over. */
const LOST_AFTER_MS = 1_000;
const FLUSH_MS = 10_000;

type Sending = typeof import('./sending.js');

/** One for all instances. */
let loaded: Sending | undefined;

/** @throws Error where it cannot be loaded now; it is tried again. */
const loadSending = async (): Promise<Sending> => (loaded ??= await import('./sending.js'));

/** A batch is never cut below this, however small a body the server takes. */
const BYTES_MIN = 65_536;

/** How large a batch may be: smaller while the item is looked for that made the server refuse one. */
class BatchLimits {
  items: number;
  bytes: number;
  /** The oldest so many hold an item at fault. */
  private suspects = 0;

  constructor(private readonly pace: Pace) {
    this.items = pace.batchItems;
    this.bytes = pace.batchBytes;
  }

  get isSearching(): boolean {
    return this.suspects > 0;
  }

  settled(count: number): void {
    this.suspects = Math.max(0, this.suspects - count);
    if (this.suspects === 0) this.items = this.pace.batchItems;
  }

  found(): void {
    this.settled(this.suspects);
  }

  /** A batch of several items was refused. @param tooLargeBytes its size when that is why: later ones stay below half of it. */
  refused(count: number, tooLargeBytes: number | null): void {
    this.items = count >> 1;
    this.suspects = count;
    if (tooLargeBytes !== null) this.bytes = Math.max(BYTES_MIN, Math.min(this.bytes, tooLargeBytes / 2));
  }
}

/**
 * Brings spans and traces to `POST /api/ingest`, in batches, one request at a time, again and again until the server has
 * acknowledged each or said that it does not take it (docs/adr/0047-delivery-of-the-sdk.md). What it is given is kept as
 * text within `queueBytes`. No method throws, and none waits for the network but `flush` and `shutdown`, which resolve
 * later.
 */
export class Delivery {
  private readonly pace: Pace;
  private readonly timers: Timers;
  private readonly post: PostSettings;
  private readonly queue: Queue;
  private readonly limits: BatchLimits;
  private room: BodyRoom | undefined;
  private readonly pauses: Pauses;
  private readonly losses: Losses;
  private readonly waiters: FlushWaiters;
  /** Spans that run and have not been reported, with their place. */
  private readonly unreported = new Map<OutgoingSpan, number>();
  private place = 0;
  private delivered = 0;

  private timer: unknown = null;
  private timerAt = Infinity;
  /** Counts requests; the answer to one that was overtaken has no say. */
  private turn = 0;
  private request: AbortController | null = null;
  private busyUntil = -Infinity;
  /** Up to this place the end of the process has been held up already. */
  private finishedPlace = 0;
  private isKeptAwake = false;
  private isClosed = false;
  private stopSignals: (() => void) | null = null;

  constructor(private readonly settings: DeliverySettings) {
    const { apiUrl, apiKey, queueBytes, fetch: customFetch, timers = systemTimers, random = Math.random } = settings;
    const report = (sentence: string): void => this.report(sentence);
    this.pace = { ...PACE, ...settings.pace };
    this.timers = timers;
    this.queue = new Queue(queueBytes);
    this.limits = new BatchLimits(this.pace);
    this.pauses = new Pauses({ apiUrl, pace: this.pace, timers, random, report });
    this.losses = new Losses(report, timers, this.pace.reportMs);
    this.waiters = new FlushWaiters(timers, () => this.result());
    this.post = {
      url: `${apiUrl.replace(/(?<!\/)\/+$/, '')}/api/ingest`,
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      fetch: customFetch ?? fetch,
      timers,
    };
    // The first request has it then.
    loadSending().catch(() => undefined);
  }

  /** The span runs; it is sent as running, once, if it still does when the next batch goes. */
  started(span: OutgoingSpan): void {
    this.guard(() => {
      if (this.isClosed) return;
      this.unreported.set(span, ++this.place);
      this.wake();
    });
  }

  /** The span has ended; its JSON is read now. */
  ended(span: OutgoingSpan): void {
    this.guard(() => {
      this.unreported.delete(span);
      this.keep(span.json(), span.trace, false);
    });
  }

  /** Members of the trace have changed, or it ended; its JSON is read now. */
  traced(trace: OutgoingTrace): void {
    this.guard(() => {
      if (this.isClosed) return this.losses.drop('recorded after the shutdown');
      const added = this.queue.addTrace(trace, this.place + 1);
      if (added === 'added') this.place++;
      else if (added === 'full') this.dropNewest();
      this.wake();
    });
  }

  /**
   * @param json of a span or a score, as `POST /api/ingest` takes it.
   * @param trace that it is about or belongs to; left out for others' traces.
   */
  keep(json: string, trace: OutgoingTrace | undefined, isScore: boolean): void {
    if (this.isClosed) this.losses.drop('recorded after the shutdown');
    else if (this.queue.addText(json, trace, this.place + 1, isScore)) this.place++;
    else this.dropNewest();
    this.wake();
  }

  /**
   * Sends what waits without delay. Resolves once the server has answered for all that was recorded before the call, when
   * it refuses the key, or when the time is up; never rejects.
   * @param options.timeoutMs 10 s when left out.
   */
  async flush({ timeoutMs = FLUSH_MS }: { timeoutMs?: number | undefined } = {}): Promise<FlushResult> {
    if (this.pending === 0 || this.isClosed) return this.result();
    const result = this.waiters.add(this.place, timeoutMs, true);
    this.guard(() => {
      if (this.pauses.hurry()) this.wake();
      else this.waiters.end();
    });
    return result;
  }

  /** Flushes on SIGTERM and SIGINT for 2 s at most and raises the signal again. */
  onSignals(): void {
    this.stopSignals ??= onSignals(() => this.lastFlush(this.pace.signalMs));
  }

  /** Flushes and ends: what is recorded afterwards is dropped and counted. */
  async shutdown(options?: { timeoutMs?: number | undefined }): Promise<FlushResult> {
    const result = await this.lastFlush(options?.timeoutMs);
    this.isClosed = true;
    this.request?.abort();
    this.clearTimer();
    this.unreported.clear();
    this.stopSignals?.();
    nothingAtExit(this);
    this.losses.end();
    return result;
  }

  /** The process has nothing else to do: a last flush, and then it may end. Once for what has been recorded. */
  async finish(): Promise<void> {
    this.finishedPlace = this.place;
    await this.lastFlush(this.pace.exitMs);
    // An answer that is still awaited would hold the process, and so would a further try.
    this.clearTimer();
    this.request?.abort();
  }

  private async lastFlush(timeoutMs: number | undefined): Promise<FlushResult> {
    const result = await this.flush({ timeoutMs });
    const { pending, lastError } = result;
    this.losses.reportNew();
    if (pending > 0) this.report(`${pending} spans or traces were not delivered before the end (${lastError})`);
    return result;
  }

  private get pending(): number {
    return this.queue.length + this.unreported.size;
  }

  /** Place of the oldest thing that waits; `Infinity` when nothing does. */
  private get firstPlace(): number {
    const unreported = this.unreported.values().next();
    return Math.min(this.queue.firstPlace, unreported.done ? Infinity : unreported.value);
  }

  /** The process has waited for all that there is and may end now, which another request would keep it from. */
  private get isGivenUp(): boolean {
    return this.place <= this.finishedPlace && this.waiters.size === 0;
  }

  private result(): FlushResult {
    const { delivered, pending } = this;
    const { dropped, rejected, lastReason } = this.losses;
    return { delivered, pending, dropped, rejected, lastError: this.pauses.error ?? lastReason };
  }

  private dropNewest(): void {
    const why = this.pauses.error ?? 'spans come faster than they are sent';
    this.losses.drop(`the queue of ${this.settings.queueBytes} bytes is full: ${why}`);
  }

  /** Plans the next request. Called for all that is recorded, so it costs next to nothing while one is planned. */
  private wake(): void {
    const now = this.timers.now();
    if (this.isClosed || this.pending === 0 || this.isGivenUp || now < this.busyUntil) return;
    this.plan(Math.max(this.pauses.until, this.isDue ? now : now + this.pace.gatherMs), now);
  }

  /** A request is wanted without gathering more for it. */
  private get isDue(): boolean {
    const { immediate, waitUntil } = this.settings;
    // What failed has gathered for long enough.
    const isOverdue = this.waiters.size > 0 || this.pauses.error !== null;
    const isUrgent = immediate === true || waitUntil !== undefined || isOverdue;
    return isUrgent || this.queue.length >= this.limits.items || this.queue.bytes >= this.limits.bytes;
  }

  private plan(at: number, now: number): void {
    const isLost = now > this.timerAt + LOST_AFTER_MS;
    if (this.timerAt <= at && !isLost) return;
    if (this.place > this.finishedPlace) finishAtExit(this);
    this.keepAwake();
    this.clearTimer();
    this.timerAt = isLost ? Math.max(this.pauses.until, now) : at;
    const send = (): void => void this.send();
    // A function may be frozen before the next turn of its event loop.
    if (this.timerAt <= now && this.settings.immediate) queueMicrotask(send);
    else this.timer = this.timers.set(send, this.timerAt - now, false);
  }

  private keepAwake(): void {
    const { waitUntil } = this.settings;
    if (waitUntil === undefined || this.isKeptAwake || this.pauses.isDenied) return;
    this.isKeptAwake = true;
    const settled = this.waiters.add(Infinity, this.pace.waitUntilMs, false).then(() => {
      this.isKeptAwake = false;
    });
    waitUntil(settled);
  }

  private clearTimer(): void {
    if (this.timer !== null) this.timers.clear(this.timer);
    this.timer = null;
    this.timerAt = Infinity;
  }

  private async send(): Promise<void> {
    this.clearTimer();
    if (this.isClosed || this.timers.now() < this.busyUntil) return;
    const turn = ++this.turn;
    try {
      this.busyUntil = this.timers.now() + LOST_AFTER_MS;
      const sending = loaded ?? (await loadSending());
      if (turn !== this.turn) return;
      this.room ??= new sending.BodyRoom(this.settings.fetch === undefined);
      while (!this.isClosed) {
        const batch = sending.composeBatch(this.queue, this.unreported.keys(), this.limits, this.room);
        if (batch === null) break;
        const answer = await this.exchange(sending, batch);
        if (turn !== this.turn) return;
        this.note(sending, batch, answer);
        if (this.isGivenUp || this.pauses.until > this.timers.now()) break;
        if (!this.isDue && !this.limits.isSearching) break;
        await this.nextTurn();
        if (turn !== this.turn) return;
        if (this.isGivenUp) break;
      }
    } catch (error) {
      this.pauses.note({ kind: 'failed', error: String(error), retryAfterMs: 0, timedOut: false }, false);
    }
    this.request = null;
    this.busyUntil = -Infinity;
    if (this.pending === 0) {
      nothingAtExit(this);
      this.room?.release();
    } else this.guard(() => this.wake());
  }

  /** Lets the application work between the answer to a batch and the next batch. */
  private nextTurn(): Promise<void> {
    this.busyUntil = this.timers.now() + LOST_AFTER_MS;
    return new Promise((resolve) => this.timers.set(resolve, 0, false));
  }

  private exchange({ postBatch, scoreCount, spanCount }: Sending, batch: Batch): Promise<Answer> {
    const { requestMs } = this.pauses;
    // Should the answer be lost together with its timer, another request may be made after that.
    this.busyUntil = this.timers.now() + requestMs + LOST_AFTER_MS;
    this.request = new AbortController();
    const counts = { traces: batch.traces.length, spans: spanCount(batch), scores: scoreCount(batch) };
    const sent = { ...counts, body: batch.body };
    return postBatch(this.post, sent, requestMs, this.request);
  }

  private note({ dropSingle, settleBatch }: Sending, batch: Batch, answer: Answer): void {
    this.pauses.note(answer, this.waiters.size > 0);
    const size = batch.items.length + batch.running.length;
    if (answer.kind === 'taken') {
      this.delivered += settleBatch(batch, answer.rejected, this.queue, this.unreported, this.losses);
      this.limits.settled(size);
    } else if (answer.kind === 'refused' && size > 1) {
      this.limits.refused(size, answer.isTooLarge ? batch.body.length : null);
    } else if (answer.kind === 'refused') {
      dropSingle(batch, answer, this.queue, this.unreported, this.losses);
      this.limits.found();
    }
    if (answer.kind === 'denied') this.waiters.end();
    else this.waiters.settle(this.firstPlace);
  }

  private report(sentence: string): void {
    try {
      this.settings.onReport(sentence);
    } catch {
      // A report that fails must not break the application.
    }
  }

  private guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.losses.lastReason = String(error);
    }
  }
}
