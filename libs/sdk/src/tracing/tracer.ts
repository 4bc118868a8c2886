import { follow } from '../following/follow.js';
import type { AnyFunction } from '../following/watch.js';
import { context, inContext } from './context.js';
import { newSpanId, newTraceId, readTraceparent, type HeadersLike } from './ids.js';
import type { Recorder } from './recorder.js';
import { NO_SPAN, Span, type SpanOptions, type SpanKind } from './span.js';
import { NO_TRACE, Trace, type TraceOptions } from './trace.js';

/** How calls of a function are recorded. */
export interface ObserveOptions {
  /** The name of the function when left out. */
  name?: string | undefined;
  kind?: SpanKind | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** `false` leaves the arguments out. */
  input?: boolean | undefined;
  /** `false` leaves the result out. */
  output?: boolean | undefined;
}

/** Makes traces and spans in the trace and span that are open where it is called. */
export class Tracer {
  constructor(
    readonly recorder: Recorder,
    private readonly payloadBytes: number,
  ) {}

  /** @returns the function with its calls recorded; otherwise it does what it did. */
  observe<Observed extends (...args: never[]) => unknown>(observed: Observed, options: ObserveOptions): Observed {
    const { name = observed.name || 'function', kind, metadata, input, output } = options;
    const payloadBytes = output === false ? undefined : this.payloadBytes;
    return new Proxy(observed, {
      apply: (work, self, args: unknown[]) => {
        // One argument stands for itself.
        const given = input === false || args.length === 0 ? undefined : args.length === 1 ? args[0] : args;
        const span = this.startSpan(name, { kind, metadata, input: given });
        return runSpan(span, () => Reflect.apply(work as unknown as AnyFunction, self, args), payloadBytes);
      },
    });
  }

  trace<Result>(name: string, options: TraceOptions, work: (trace: Trace) => Result): Result {
    const trace = this.openTrace({ ...options, name });
    if (trace === NO_TRACE) return work(trace);
    this.recorder.delivery.traced(trace);
    return inContext({ trace, spanId: null, span: undefined }, () => work(trace));
  }

  span<Result>(name: string, options: SpanOptions, work: (span: Span) => Result): Result {
    const span = this.startSpan(name, options);
    return runSpan(span, () => work(span));
  }

  startSpan(name: string, options: SpanOptions): Span {
    let span = NO_SPAN;
    this.recorder.guard(() => {
      const current = context.getStore();
      const trace = current?.trace ?? this.openTrace({ name });
      span = new Span(this.recorder, newSpanId(), trace, current?.spanId ?? null, name, options);
      this.recorder.delivery.started(span);
    });
    return span;
  }

  continue<Result>(headers: HeadersLike | null | undefined, work: () => Result): Result {
    let joined: { trace: Trace; spanId: string | null; span: undefined } | undefined;
    this.recorder.guard(() => {
      const caller = readTraceparent(headers);
      if (caller === undefined) return;
      const current = context.getStore()?.trace;
      const trace = current?.id === caller.traceId ? current : new Trace(this.recorder, caller.traceId);
      joined = { trace, spanId: caller.spanId, span: undefined };
    });
    return joined ? inContext(joined, work) : work();
  }

  private openTrace(members: TraceOptions & { name: string }): Trace {
    let trace = NO_TRACE;
    this.recorder.guard(() => {
      trace = new Trace(this.recorder, newTraceId(), members);
    });
    return trace;
  }
}

/** @param payloadBytes records the result as the output, up to so many bytes. */
function runSpan<Result>(span: Span, work: () => Result, payloadBytes?: number): Result {
  if (span === NO_SPAN) return work();
  const own = span.context;
  let result: Result;
  try {
    result = context.run(own, work);
  } catch (error) {
    span.fail(error);
    throw error;
  }
  return follow(result, {
    run: (step) => context.run(own, step),
    ended: (output) => span.end(payloadBytes === undefined ? undefined : { output }),
    failed: (error, output) => span.fail(error, payloadBytes === undefined ? {} : { output }),
    payloadBytes,
  });
}
