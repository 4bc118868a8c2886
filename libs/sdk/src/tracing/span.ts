import type { OutgoingSpan } from '../delivery/queue.js';
import { KEY_LENGTH_MAX, plainText, errorText, NAME_LENGTH_MAX } from '../recording/plain-text.js';
import type { Faults, MaskPlace } from '../recording/recording.js';
import { inContext } from './context.js';
import type { Context } from './open-context.js';
import { formatTraceparent } from './ids.js';
import type { Recorder } from './recorder.js';
import { formatTime, NO_TRACE, timeOf, type Trace } from './trace.js';

/** A call of a model. Tokens count where the provider says them; the cost follows from them when it is left out. */
export interface LlmCall {
  type: 'llm_call';
  /** The provider's name of it. */
  model: string;
  provider?: string | null | undefined;
  /** Cached tokens are counted too; `cached_input_tokens` says how many they are. */
  input_tokens?: number | null | undefined;
  output_tokens?: number | null | undefined;
  cached_input_tokens?: number | null | undefined;
  reasoning_tokens?: number | null | undefined;
  /** Dollars. */
  cost?: number | null | undefined;
  [member: string]: unknown;
}

/** Any other kind of work; further members are kept. */
export interface OtherKind {
  type: 'tool_call' | 'retrieval' | 'embedding' | 'custom' | 'fs_read' | 'fs_write' | (string & {});
  [member: string]: unknown;
}

/** What a span is. Any `type` is kept whole; `llm_call` needs a `model`. */
export type SpanKind = LlmCall | OtherKind;

const COUNTS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'reasoning_tokens'] as const;

/** @returns why the server would refuse the kind, and the span with it. @throws what a member throws that is read. */
function findKindFault(kind: unknown): string | undefined {
  if (typeof kind !== 'object' || kind === null || Array.isArray(kind)) return 'it is not an object';
  const { type, model, provider, cost } = kind as Record<string, unknown>;
  if (!isKey(type) || type === '') return 'its type is not a text';
  if (type !== 'llm_call') {
    if (typeof model === 'string' && !isKey(model)) return 'its model is too long';
    return typeof provider === 'string' && !isKey(provider) ? 'its provider is too long' : undefined;
  }
  if (!isKey(model)) return 'its model is not a text';
  if (provider != null && !isKey(provider)) return 'its provider is not a text';
  if (cost != null && !(typeof cost === 'number' && cost >= 0 && cost < Infinity)) return 'its cost is not an amount';
  const wrong = COUNTS.find((name) => {
    const count = (kind as Record<string, unknown>)[name];
    return count != null && !(Number.isSafeInteger(count) && (count as number) >= 0);
  });
  return wrong && `its ${wrong} is not a count`;
}

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && plainText(value, KEY_LENGTH_MAX) === value;

/** Members of a span that change; those left out stay, members of `metadata` too. */
export interface SpanChanges {
  name?: string | undefined;
  /** Replaces the kind, for example to add tokens. */
  kind?: SpanKind | undefined;
  /** Recorded as it is when it is given. */
  input?: unknown;
  /** Recorded as it is when the span ends. */
  output?: unknown;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What a span begins with. */
export interface SpanOptions extends Omit<SpanChanges, 'name'> {
  /** Now when left out. */
  startedAt?: Date | number | undefined;
}

/** What a span ends with. */
export interface SpanEnd extends SpanChanges {
  /** Now when left out. */
  endedAt?: Date | number | undefined;
}

/** A piece of work within a trace. No method throws; after its end nothing changes any more. */
export class Span implements OutgoingSpan {
  /** 16 hex digits. */
  readonly id: string;
  readonly trace: Trace;
  private readonly recorder: Recorder | undefined;
  private readonly parentId: string | null;
  private name = '';
  private readonly startedAt: number = 0;
  private endedAt: number | undefined;
  private error: string | undefined;
  private kind: string | undefined;
  private input: string | undefined;
  private output: unknown;
  private metadata: Readonly<Record<string, unknown>> | undefined;
  /** About what is JSON already. */
  private readonly faults: Faults = {};

  /** @internal Without a recorder all it is given is forgotten. */
  constructor(
    recorder?: Recorder,
    id = '',
    trace: Trace = NO_TRACE,
    parentId: string | null = null,
    name = '',
    options: SpanOptions = {},
  ) {
    this.recorder = recorder;
    this.id = id;
    this.trace = trace;
    this.parentId = parentId;
    if (recorder === undefined) return;
    this.name = plainText(name, NAME_LENGTH_MAX);
    this.startedAt = options.startedAt === undefined ? Date.now() : timeOf(options.startedAt);
    this.change(options);
  }

  /** What to send as the header `traceparent`, so that what the called one does is below this span. */
  get traceparent(): string {
    return formatTraceparent(this.trace.id, this.id);
  }

  /** Whether it has not ended. */
  get isRunning(): boolean {
    return this.recorder !== undefined && this.endedAt === undefined;
  }

  set(changes: SpanChanges): void {
    this.recorder?.guard(() => {
      if (this.isRunning) this.change(changes);
      else
        this.recorder?.recording.report(
          'ended',
          `the span "${this.name}" has ended: what is set later is not recorded`,
        );
    });
  }

  /** Ends it as completed. */
  end(last: SpanEnd = {}): void {
    this.finish(last);
  }

  /** Ends it as failed. @param error what was thrown; anything. */
  fail(error: unknown, last: SpanEnd = {}): void {
    this.finish(last, { error });
  }

  /** Runs a function with this span as the one that new spans are children of. @returns what the function returns. */
  run<Result>(work: () => Result): Result {
    if (this.recorder === undefined) return work();
    return inContext(this.context, work);
  }

  /** @internal */
  get context(): Context {
    return { trace: this.trace, spanId: this.id, span: this };
  }

  /** @internal */
  json(): string {
    const { recorder, endedAt, error, kind, input } = this;
    const faults: Faults = { ...this.faults };
    const where = (field: MaskPlace['field']): MaskPlace => this.where(field);
    const output = recorder?.recording.payload(this.output, where('output'), faults);
    const failure = error === undefined ? undefined : this.maskedError(error, faults);
    const metadata = recorder?.recording.metadata(this.metadata, where('metadata'), faults);
    let json = `{"id":"${this.id}","trace_id":"${this.trace.id}","name":${JSON.stringify(this.name)}`;
    if (this.parentId !== null) json += `,"parent_id":"${this.parentId}"`;
    if (kind !== undefined) json += `,"kind":${kind}`;
    if (input !== undefined) json += `,"input":${input}`;
    if (output !== undefined) json += `,"output":${output}`;
    if (metadata !== undefined) json += `,"metadata":${metadata}`;
    json += `,"started_at":"${formatTime(this.startedAt)}"`;
    if (endedAt === undefined) return `${json},"status":"running"}`;
    json += `,"ended_at":"${formatTime(endedAt)}"`;
    return failure === undefined ? `${json},"status":"completed"}` : `${json},"status":"failed","error":${failure}}`;
  }

  private finish(last: SpanEnd, failure?: { error: unknown }): void {
    const { recorder } = this;
    if (recorder === undefined || !this.isRunning) return;
    recorder.guard(() => this.change(last));
    recorder.guard(() => {
      if (failure) this.error = errorText(failure.error);
      // The clock may have been set back meanwhile.
      this.endedAt = Math.max(this.startedAt, last.endedAt === undefined ? Date.now() : timeOf(last.endedAt));
      recorder.delivery.ended(this);
      this.output = undefined;
      this.metadata = undefined;
      this.input = undefined;
    });
  }

  private change({ name, kind, input, output, metadata }: SpanChanges): void {
    if (name !== undefined) this.name = plainText(name, NAME_LENGTH_MAX);
    if (kind !== undefined) this.kind = this.kindJson(kind);
    if (input !== undefined) this.input = this.recorder!.recording.payload(input, this.where('input'), this.faults);
    if (output !== undefined) this.output = output;
    if (metadata !== undefined) this.metadata = this.metadata ? { ...this.metadata, ...metadata } : metadata;
  }

  /** A kind that the server would refuse, and the span with it, becomes an attribute. */
  private kindJson(kind: unknown): string | undefined {
    const { recording } = this.recorder!;
    const fault = findKindFault(kind);
    if (fault !== undefined) {
      this.faults.kind_refused = fault;
      recording.report('kind', `the kind of the span "${this.name}" is recorded as an attribute, since ${fault}`);
    } else delete this.faults.kind_refused;
    return recording.unmasked(
      fault === undefined ? kind : { type: 'custom', kind: 'custom', attributes: { kind } },
      this.faults,
    );
  }

  private maskedError(error: string, faults: Faults): string {
    const masked = this.recorder!.recording.masked(error, this.where('error'), faults);
    return JSON.stringify(masked === undefined ? 'not recorded' : plainText(masked, Infinity));
  }

  private where(field: MaskPlace['field']): MaskPlace {
    return { field, of: 'span', name: this.name };
  }
}

/** The span of instances that record nothing. */
export const NO_SPAN = new Span();
