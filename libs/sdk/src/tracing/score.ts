import { KEY_LENGTH_MAX, plainText } from '../recording/plain-text.js';
import { newTraceId } from './ids.js';
import type { Context } from './open-context.js';
import type { Recorder } from './recorder.js';

/** What is said of a trace, a span or a session; of the span that is open where none of them is named. */
export interface ScoreOptions {
  /** What the score is of, such as `helpful`. */
  name: string;
  /** A finite number; value, label or comment must be given. */
  value?: number | null | undefined;
  label?: string | null | undefined;
  comment?: string | null | undefined;
  /** `code` when left out. */
  source?: 'human' | 'code' | 'judge' | 'end_user' | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  traceId?: string | undefined;
  /** For a span that has not ended elsewhere yet its `traceId` is needed too. */
  spanId?: string | undefined;
  sessionId?: string | undefined;
}

/** The longest comment that the server takes. */
const COMMENT_LENGTH_MAX = 10_000;

/** Queues a score, to be sent once: its id stays when it is sent again. What the server would refuse is reported and left out. */
export function recordScore(recorder: Recorder, options: ScoreOptions, current: Context | undefined): void {
  recorder.guard(() => queueScore(recorder, options, current));
}

function queueScore({ recording, delivery }: Recorder, options: ScoreOptions, current: Context | undefined): void {
  const { traceId: trace_id, spanId: span_id, sessionId: session_id, metadata = {}, ...said } = options;
  const { name, value, label, comment } = said;
  const isNamed = trace_id ?? span_id ?? session_id;
  const fault = faultOf(options) ?? (isNamed || current ? undefined : 'no span is open, and none is named');
  if (fault !== undefined) return recording.report(`score ${fault}`, `a score is not recorded: ${fault}`);
  const target = isNamed
    ? { trace_id, span_id, session_id }
    : { trace_id: current!.trace.id, span_id: current!.spanId };
  const members = recording.metadata(metadata, { field: 'metadata', of: 'span', name }, {});
  const texts = {
    name: plainText(name, KEY_LENGTH_MAX),
    label: label && plainText(label, KEY_LENGTH_MAX),
    comment: comment && plainText(comment, COMMENT_LENGTH_MAX),
  };
  const json = JSON.stringify({ id: newTraceId(), value, source: said.source, ...texts, ...target });
  const trace = isNamed && trace_id !== current?.trace.id ? undefined : current?.trace;
  delivery.keep(`${json.slice(0, -1)},"metadata":${members}}`, trace, true);
}

function faultOf({ name, value, label, comment }: ScoreOptions): string | undefined {
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (value != null && !Number.isFinite(value)) return `the value of "${name}" is no finite number`;
  return value == null && !label && comment == null ? `"${name}" has neither value nor label nor comment` : undefined;
}
