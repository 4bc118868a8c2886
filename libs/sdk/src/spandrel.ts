import { createApi } from './api/client.js';
import type { Api } from './api/operation-types.js';
import { Delivery } from './delivery/delivery.js';
import type { FlushResult } from './delivery/pauses.js';
import type { GatewayCalls } from './gateway/gateway-calls.js';
import { viaFoundGateway, viaGateway } from './gateway/via-gateway.js';
import { Recording } from './recording/recording.js';
import { readSettings, type Settings, type SpandrelOptions } from './settings.js';
import { context } from './tracing/context.js';
import type { Context } from './tracing/open-context.js';
import type { HeadersLike } from './tracing/ids.js';
import type { Recorder } from './tracing/recorder.js';
import type { ScoreOptions } from './tracing/score.js';
import { NO_SPAN, Span, type SpanOptions } from './tracing/span.js';
import { NO_TRACE, type Trace, type TraceOptions } from './tracing/trace.js';
import { Tracer, type ObserveOptions } from './tracing/tracer.js';

type ScoreCalls = typeof import('./tracing/score.js');

/** Loaded with the first score, for all instances. */
let scoreCalls: ScoreCalls | undefined;

const NOTHING_SENT: FlushResult = { delivered: 0, pending: 0, dropped: 0, rejected: 0, lastError: null };

/**
 * Records what an application does in traces and spans, and sends them to a Spandrel server. What is recorded never changes
 * what the application does: nothing here throws or waits but what says so.
 */
export class Spandrel {
  private readonly settings: Settings;
  private readonly delivery: Delivery | undefined;
  private readonly tracer: Tracer | undefined;
  private calls: Promise<GatewayCalls | undefined> | undefined;
  private client: Api | undefined;
  /** Scores that were made before their code was there. */
  private scoring: Promise<void> | undefined;
  /**
   * A `fetch` that puts calls of the gateway into the open trace, with the key, and adds `traceparent` for the origins of
   * `propagateTo`. All else it does as `fetch` does.
   */
  readonly fetch: typeof fetch;

  /** @throws TypeError for an option that is unknown or malformed; afterwards nothing throws for a setting. */
  constructor(options: SpandrelOptions = {}) {
    this.settings = readSettings(options);
    const direct = plainFetch(this.settings.fetch);
    this.fetch = direct;
    if (!this.settings.isEnabled) return;
    this.fetch = this.loadedFetch((calls, current) => calls.makeFetch(current)(), direct);
    const { onWarning, delivery, ...others } = this.settings;
    this.delivery = new Delivery({ ...others, ...delivery, onReport: onWarning });
    this.tracer = new Tracer(createRecorder(this.delivery, this.settings), others.payloadBytes);
  }

  /** Whether anything is recorded. */
  get enabled(): boolean {
    return this.tracer !== undefined;
  }

  /** The trace that is open where it is asked for. */
  get currentTrace(): Trace | undefined {
    return this.tracer && context.getStore()?.trace;
  }

  /** The span of this process that is open where it is asked for. */
  get currentSpan(): Span | undefined {
    return this.tracer && (context.getStore()?.span as Span | undefined);
  }

  /**
   * Records each call of a function as a span: its arguments as the input, its result as the output, what it throws as the
   * error. Promises, generators and streams are followed to their end.
   * @returns a function that does what the given one does.
   * @throws TypeError when it is no function.
   */
  observe<Observed extends (...args: never[]) => unknown>(observed: Observed, options: ObserveOptions = {}): Observed {
    if (typeof observed !== 'function') throw new TypeError('observe takes a function');
    return this.tracer?.observe(observed, options) ?? observed;
  }

  /** Opens a trace for what a function does. @returns what it returns; throws what it throws. */
  trace<Result>(name: string, work: (trace: Trace) => Result): Result;
  trace<Result>(name: string, options: TraceOptions, work: (trace: Trace) => Result): Result;
  trace<Result>(name: string, ...[first, second]: Work<TraceOptions, Trace, Result>): Result {
    const [options, work] = second ? [first as TraceOptions, second] : [{}, first as (trace: Trace) => Result];
    return this.tracer ? this.tracer.trace(name, options, work) : work(NO_TRACE);
  }

  /**
   * Records what a function does as a span, which ends when it has returned or its promise has settled, as failed when
   * something is thrown. Without an open trace it opens one.
   * @returns what the function returns; throws what it throws.
   */
  span<Result>(name: string, work: (span: Span) => Result): Result;
  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Result): Result;
  span<Result>(name: string, ...[first, second]: Work<SpanOptions, Span, Result>): Result {
    const [options, work] = second ? [first as SpanOptions, second] : [{}, first as (span: Span) => Result];
    return this.tracer ? this.tracer.span(name, options, work) : work(NO_SPAN);
  }

  /** Begins a span that `span.end()` or `span.fail(error)` ends. Spans are made below it within `span.run(…)`. */
  startSpan(name: string, options: SpanOptions = {}): Span {
    return this.tracer?.startSpan(name, options) ?? NO_SPAN;
  }

  /**
   * Says something of a trace, a span or a session, of the span that is open when none is named: a number, a label or a
   * comment. It waits for delivery with the spans.
   */
  score(options: ScoreOptions): void {
    const recorder = this.tracer?.recorder;
    if (!recorder) return;
    const current = context.getStore();
    const record = ({ recordScore }: ScoreCalls): void => recordScore(recorder, options, current);
    if (scoreCalls) return record(scoreCalls);
    const before = this.scoring;
    this.scoring = import('./tracing/score.js')
      .then(
        (calls) => record((scoreCalls = calls)),
        (error: unknown) =>
          recorder.guard(() => {
            throw error;
          }),
      )
      .then(() => before);
  }

  /**
   * Runs a function in the trace of the caller, as the header `traceparent` names it, below the caller's span. Without that
   * header, or with a malformed one, it only runs the function.
   * @returns what the function returns; throws what it throws.
   */
  continue<Result>(headers: HeadersLike | null | undefined, work: () => Result): Result {
    return this.tracer ? this.tracer.continue(headers, work) : work();
  }

  /**
   * Sends what waits now. Resolves once the server has answered for all that was recorded before, or when the time is up.
   * @param options.timeoutMs 10,000 when left out.
   * @returns what the server acknowledged since the start, and what it did not.
   */
  async flush(options?: { timeoutMs?: number | undefined }): Promise<FlushResult> {
    if (this.scoring) await this.scoring;
    return this.delivery?.flush(options) ?? NOTHING_SENT;
  }

  /** Flushes and ends: what is recorded afterwards is dropped and counted. */
  async shutdown(options?: { timeoutMs?: number | undefined }): Promise<FlushResult> {
    if (this.scoring) await this.scoring;
    return this.delivery?.shutdown(options) ?? NOTHING_SENT;
  }

  /** Flushes on SIGTERM and SIGINT, for 2 s at most, and raises the signal again. */
  onSignals(): void {
    this.delivery?.onSignals();
  }

  /** Every operation of the API, typed; calls throw `SpandrelError`. It is there too where nothing is recorded. */
  get api(): Api {
    const { apiUrl, apiKey, fetch } = this.settings;
    return (this.client ??= createApi({ url: apiUrl, key: apiKey, fetch }));
  }

  /**
   * @param client of openai, @anthropic-ai/sdk or ollama.
   * @returns a copy of it that calls through the gateway, which records the calls below the span that is open; the client
   *   itself where nothing is recorded. Where no gateway is set the server is asked for it, and where it knows of none the copy
   *   calls as the client does.
   * @throws TypeError when it is no such client.
   */
  viaGateway<Client extends object>(client: Client): Client {
    if (!this.tracer) return client;
    const { gatewayUrl, fetch } = this.settings;
    const direct = plainFetch(fetch);
    if (gatewayUrl !== undefined) {
      return viaGateway(client, gatewayUrl, (send, forGateway) =>
        this.loadedFetch((calls, current) => calls.makeFetch(current)(send, forGateway), send ?? direct),
      );
    }
    const copy = viaFoundGateway(client, (known) =>
      this.loadedFetch((calls, current) => calls.makeFoundFetch(current, known), known.fetch ?? direct),
    );
    // Asked now, so that the first call need not wait.
    void this.loadCalls().then((calls) => calls?.find());
    return copy;
  }

  /** @returns a `fetch` that is made with each call. @param otherwise what a call goes out by where the code cannot be loaded. */
  private loadedFetch(
    make: (calls: GatewayCalls, current: Context | undefined) => typeof fetch,
    otherwise: typeof fetch,
  ): typeof fetch {
    return (async (input, init) => {
      const current = context.getStore();
      const calls = await this.loadCalls();
      return (calls ? make(calls, current) : otherwise)(input as string, init);
    }) as typeof fetch;
  }

  private loadCalls(): Promise<GatewayCalls | undefined> {
    return (this.calls ??= import('./gateway/gateway-calls.js').then(
      ({ createGatewayCalls }) => createGatewayCalls(this.settings, plainFetch(this.settings.fetch)),
      () => (this.calls = undefined),
    ));
  }
}

type Work<Options, Handle, Result> = [Options | ((handle: Handle) => Result), ((handle: Handle) => Result)?];

/** The global `fetch` is looked up with each call, since others replace it. */
const plainFetch = (own: typeof fetch | undefined): typeof fetch =>
  ((input, init) => (own ?? globalThis.fetch)(input as string, init)) as typeof fetch;

function createRecorder(delivery: Delivery, { payloadBytes, mask, maskSecrets, onWarning }: Settings): Recorder {
  const reported = new Set<string>();
  const report = (about: string, sentence: string): void => {
    if (reported.has(about)) return;
    reported.add(about);
    try {
      onWarning(sentence);
    } catch {
      // A report that fails must not break the application.
    }
  };
  const guard = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      report('fault', `something could not be recorded (${error instanceof Error ? error.name : typeof error})`);
    }
  };
  return { delivery, recording: new Recording(payloadBytes, mask, maskSecrets, report), guard };
}
