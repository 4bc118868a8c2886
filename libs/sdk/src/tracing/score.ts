import { KEY_LENGTH_MAX, plainText } from '../recording/plain-text.js';
import { context } from './context.js';
import { newTraceId } from './ids.js';
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
export function recordScore({ recording, delivery }: Recorder, options: ScoreOptions): void {
  const { name, value, label, comment, source, metadata, traceId, spanId, sessionId } = options;
  const isElsewhere = traceId !== undefined || spanId !== undefined || sessionId !== undefined;
  const current = context.getStore();
  const fault = faultOf(options) ?? (isElsewhere || current ? undefined : 'no span is open, and none is named');
  if (fault !== undefined) return recording.report(`score ${fault}`, `a score is not recorded: ${fault}`);
  const target = isElsewhere
    ? { trace_id: traceId, span_id: spanId, session_id: sessionId }
    : { trace_id: current!.trace.id, span_id: current!.spanId };
  const where = { field: 'metadata', of: 'span', name } as const;
  const members = metadata && recording.metadata(metadata, where, {});
  const json = JSON.stringify({
    ...{ id: newTraceId(), name: plainText(name, KEY_LENGTH_MAX), value, source, ...target },
    ...(label != null && { label: plainText(label, KEY_LENGTH_MAX) }),
    ...(comment != null && { comment: plainText(comment, COMMENT_LENGTH_MAX) }),
  });
  const isOwnTrace = !isElsewhere || (traceId !== undefined && traceId === current?.trace.id);
  const whole = members === undefined ? json : `${json.slice(0, -1)},"metadata":${members}}`;
  delivery.scored(whole, isOwnTrace ? current?.trace : undefined);
}

function faultOf({ name, value, label, comment }: ScoreOptions): string | undefined {
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (value != null && !Number.isFinite(value)) return `the value of "${name}" is no finite number`;
  return value == null && !label && comment == null ? `"${name}" has neither value nor label nor comment` : undefined;
}
