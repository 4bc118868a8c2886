import type { Clock, Logger } from '@spandrel/kernel';
import type { RecordingRules } from '../masking/recording-rules.js';
import type { GatewayMetrics } from '../metrics.js';
import { UnorderedList } from '../unordered-list.js';
import { SpoolItem } from '../spool/caller-queue.js';
import type { RecordingSpool } from '../spool/recording-spool.js';
import type { BackgroundResponses } from './background-responses.js';
import { NO_BODY, type BufferedBody } from './body-buffer.js';
import type { Call } from './call.js';
import type { Outcome } from './call-facts.js';
import type { CallReader, CallReading } from './call-reader.js';
import { recordCall, type CallToRead } from './build-recording.js';
import { lesserCapture } from './capture.js';

/** A call as it is to be recorded, its bodies without their content codings. */
interface CallState {
  call: Call;
  outcome: Outcome;
  finished: boolean;
  request: BufferedBody;
  response: BufferedBody;
}

export interface RecorderOptions {
  /** How many finished calls may wait for the rules of their project; those beyond are recorded without content. */
  awaitingRulesMax: number;
  /** A call that is over sooner is not reported as running. */
  reportRunningMs: number;
  /** From this age on a call is kept as running; at most `reportRunningMs`. */
  keepMs: number;
  /** The most of a body that is kept decoded. */
  decodedBytesMax: number;
}

/** How often in {@link RecorderOptions.reportRunningMs} it is looked, at least, which calls are that old. */
const LOOKS = 4;

const REFUSED = { kind: 'refused' as const };

/** Longest stretch of the event loop that reading finished calls may take at a time. */
const SLICE_MS = 2;

/**
 * Turns calls into recordings after their bytes have gone on: a call that runs on is reported, a
 * finished one is recorded whole. Reading is sliced, so that calls under way do not wait for it.
 */
export class Recorder {
  /** Calls that have begun and were not read. */
  private readonly unread = new UnorderedList<Call>();
  /** Calls that were read as they run, and are too young to be reported to the API. */
  private readonly unreported = new UnorderedList<Call>();
  /** What is to be read, each when its turn comes. */
  private readonly work: (() => void)[] = [];
  /** Calls that are over, until it is known how they are masked. */
  private awaitingRules: CallState[] = [];
  /** Calls that are decoded, or read in another thread. */
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | null = null;
  private draining = false;

  constructor(
    private readonly sink: Pick<RecordingSpool, 'keep' | 'add' | 'lose'>,
    private readonly logger: Logger,
    private readonly options: RecorderOptions,
    private readonly rules: Pick<RecordingRules, 'of' | 'pursue'>,
    private readonly reader: Pick<CallReader, 'isLong' | 'readAside' | 'readUnread' | 'close'>,
    private readonly metrics: Pick<GatewayMetrics, 'contentWithheld'>,
    private readonly responses: Pick<BackgroundResponses, 'find' | 'add' | 'complete'>,
    private readonly clock: Clock,
  ) {}

  /** A call has begun. One that asks for a response has nothing to report until it is over. */
  begin(call: Call): void {
    if (call.asksFor !== null) return;
    this.unread.add(call);
    this.timer ??= this.lookLater();
  }

  /** A call is over; only the first outcome counts. */
  end(call: Call, outcome: Outcome, at = performance.now()): void {
    if (!call.end(outcome, at)) return;
    (call.running === null ? this.unread : this.unreported).remove(call);
    this.later(() => this.track(call, outcome, true));
  }

  /** Rules have become known, or may be asked for again: calls that wait for them are looked at again. */
  lookAgain(): void {
    const waiting = this.awaitingRules;
    this.awaitingRules = [];
    for (const state of waiting) this.later(() => this.record(state));
  }

  /**
   * Waits until every finished call is in the spool. Those whose rules are not known go there without content, and those that are not
   * read in time.
   * @param waitMs how long calls may be read in other threads.
   */
  async drain(waitMs: number): Promise<void> {
    const timer = setTimeout(() => void this.reader.close(), waitMs);
    await this.settle();
    const waiting = this.awaitingRules;
    this.awaitingRules = [];
    for (const state of waiting) this.recordBy(REFUSED, state);
    await this.settle();
    clearTimeout(timer);
  }

  private async settle(): Promise<void> {
    while (this.work.length > 0 || this.underWay.size > 0) {
      for (const read of this.work.splice(0)) read();
      await Promise.all(this.underWay);
    }
  }

  private lookLater(): NodeJS.Timeout {
    const { reportRunningMs, keepMs } = this.options;
    return setTimeout(() => this.look(), Math.min(keepMs, reportRunningMs / LOOKS)).unref();
  }

  private look(): void {
    this.timer = null;
    for (const call of this.unread.all()) {
      if (!call.requestComplete || ageOf(call) < this.options.keepMs) continue;
      this.unread.remove(call);
      this.later(() => call.outcome.kind === 'running' && this.track(call, { kind: 'running' }, false));
    }
    for (const call of this.unreported.all()) {
      if (ageOf(call) < this.options.reportRunningMs) continue;
      this.unreported.remove(call);
      this.report(call);
    }
    if (this.unread.size + this.unreported.size > 0) this.timer ??= this.lookLater();
  }

  private report(call: Call): void {
    call.isReported = true;
    this.sink.add(call.running!, null);
  }

  private later(read: () => void): void {
    this.work.push(read);
    this.schedule();
  }

  private schedule(): void {
    if (this.draining) return;
    this.draining = true;
    setImmediate(() => this.slice());
  }

  private slice(): void {
    this.draining = false;
    const until = performance.now() + SLICE_MS;
    let index = 0;
    while (index < this.work.length) {
      this.work[index++]!();
      if (performance.now() > until) break;
    }
    this.work.splice(0, index);
    if (this.work.length > 0) this.schedule();
  }

  /** Records at once where the bodies stand there plainly, else when they are decoded. */
  private track(call: Call, outcome: Outcome, finished: boolean): void {
    if (call.asksFor !== null && !this.isAwaited(call, call.asksFor)) {
      call.release();
      call.persisted();
      return;
    }
    const { request, response } = call;
    if (!request.isEncoded && !(finished && response.isEncoded)) {
      const bodies = { request: request.finish(), response: finished ? response.finish() : NO_BODY };
      this.record({ call, outcome, finished, ...bodies });
      return;
    }
    const { decodedBytesMax } = this.options;
    this.await(
      Promise.all([request.decode(decodedBytesMax), finished ? response.decode(decodedBytesMax) : NO_BODY]).then(
        ([decodedRequest, decodedResponse]) => {
          if (!finished && call.outcome.kind !== 'running') return;
          this.record({ call, outcome, finished, request: decodedRequest, response: decodedResponse });
        },
      ),
    );
  }

  /** Has a call that asks for a response be recorded with the span of that one. @returns false where none awaits it. */
  private isAwaited(call: Call, key: string): boolean {
    const response = this.responses.find(key);
    if (!response) return false;
    const { spanId: id, traceId, startedAt, provider, name, model } = response;
    const startedTick = performance.now() - (this.clock.now() - startedAt);
    const capture = lesserCapture(call.facts.capture, response.capture);
    const completes = { name, model };
    call.facts = { ...call.facts, id, traceId, provider, startedAt, startedTick, capture, completes };
    return true;
  }

  private record(state: CallState): void {
    const { call, finished } = state;
    const rule = this.rules.of(call.caller);
    if (rule.kind !== 'unknown') {
      this.recordBy(rule, state);
      return;
    }
    // A call's start need not be recorded: the call is, when it is over.
    if (!finished) return;
    if (this.awaitingRules.length >= this.options.awaitingRulesMax) {
      this.recordBy(REFUSED, state);
      return;
    }
    this.awaitingRules.push(state);
    this.keepUnread(call, toReadOf(state, REFUSED));
    this.rules.pursue();
  }

  private recordBy(rule: CallToRead['rule'], state: CallState): void {
    const { call, finished } = state;
    const toRead = toReadOf(state, rule);
    if (this.reader.isLong(toRead)) {
      if (finished) this.keepUnread(call, toRead);
      const reading = this.reader.readAside(toRead);
      if (finished) call.forget();
      this.await(this.recordRead(call, reading, finished));
      return;
    }
    try {
      this.spool(call, recordCall(toRead), finished);
    } catch (error) {
      this.fail(call, error, finished);
    } finally {
      if (finished) call.release();
    }
  }

  private async recordRead(call: Call, reading: Promise<CallReading>, finished: boolean): Promise<void> {
    try {
      const recording = await reading;
      // A call that is over meanwhile is recorded whole.
      if (finished || call.outcome.kind === 'running') this.spool(call, recording, finished);
    } catch (error) {
      this.fail(call, error, finished);
    } finally {
      if (finished) call.release();
    }
  }

  private fail(call: Call, error: unknown, finished: boolean): void {
    const { entry, endpoint } = call.wire;
    this.logger.error({ err: error, provider: entry.name, endpoint: endpoint.name }, 'a call could not be recorded');
    if (!finished) return;
    if (call.asksFor === null) this.sink.lose(call.facts.id, 'failed');
    call.persisted();
  }

  /** A call that is over is kept without what was said until it is read; the end of its answer does not wait for that. */
  private keepUnread(call: Call, toRead: CallToRead): void {
    // What a call brings for a span of the past is sent once, and whole.
    if (call.isPersisted || call.asksFor !== null) return;
    try {
      const reading = this.reader.isLong(toRead)
        ? this.reader.readUnread(toRead)
        : recordCall({ ...toRead, rule: REFUSED });
      this.sink.keep(call, reading, true, () => call.persisted());
    } catch {
      call.persisted();
    }
  }

  private await(work: Promise<void>): void {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }

  private spool(call: Call, { trace, span, pending, withheld }: CallReading, finished: boolean): void {
    if (call.asksFor !== null && (span === '' || !this.responses.complete(call.asksFor))) {
      call.persisted();
      return;
    }
    const { facts, caller } = call;
    const reason = withheld ?? facts.withheld;
    if (finished && reason !== undefined) this.metrics.contentWithheld(reason);
    if (!finished) {
      call.running = new SpoolItem(caller, facts.id, trace, span, false);
      this.sink.keep(call, { trace, span }, false);
      if (ageOf(call) >= this.options.reportRunningMs) {
        this.report(call);
        return;
      }
      this.unreported.add(call);
      this.timer ??= this.lookLater();
      return;
    }
    if (pending && call.keyOfResponse) {
      const { id: spanId, traceId, startedAt, provider, capture } = facts;
      const { responseId, name, model } = pending;
      const response = { spanId, traceId, startedAt, name, provider, model, capture };
      this.responses.add(call.keyOfResponse(responseId), response);
    }
    const former = call.isReported ? call.running : null;
    this.sink.keep(call, { trace, span }, true, () => call.persisted());
    this.sink.add(new SpoolItem(caller, call.recordingId, former?.delivered ? null : trace, span, true), former);
  }
}

const ageOf = ({ facts }: Call): number => performance.now() - facts.startedTick;

function toReadOf({ call, outcome, request, response }: CallState, rule: CallToRead['rule']): CallToRead {
  const { facts, wire, endedTick, secrets, caller } = call;
  const answer = outcome.kind === 'running' ? null : call.answer;
  return { record: { facts, wire, request, answer, response, outcome, endedTick }, rule, secrets, caller };
}
