import { type SpanKind, type SpanStatus, formatTimestamp, jsonMembers } from '@spandrel/contract';
import { fromJsonText, objectFromJsonText } from '@spandrel/storage';
import { isOtlp } from './usage-attribution/usage-attribution.js';
import { type StoredSpan, STATUS } from './span.entity.js';

/** The status, and the error that a failed one repeats (docs/spec/spans.md#status-on-the-wire). */
export function shownStatus(span: Pick<StoredSpan, 'status' | 'error'>): { status: SpanStatus; error: string | null } {
  const error = fromJsonText(span.error) as string | null;
  if (span.status === STATUS.failed) return { status: { failed: { error: error ?? '' } }, error };
  return { status: span.status === STATUS.completed ? 'completed' : 'running', error };
}

/** The caller's kind with the estimated cost; an `llm_call` always shows its well-known members. */
export function shownKind(span: Pick<StoredSpan, 'kind' | 'cost' | 'cover'>): SpanKind {
  const kind = fromJsonText(span.kind) as SpanKind;
  if (kind.type !== 'llm_call') {
    if (isOtlp(span) && span.cost !== null) kind['cost'] ??= span.cost;
    return kind;
  }
  kind['provider'] ??= null;
  kind['input_tokens'] ??= null;
  kind['output_tokens'] ??= null;
  kind['cost'] ??= span.cost;
  return kind;
}

/** The caller's own members, and on a finished span the service's, which win (docs/spec/spans.md#metadata). */
export function shownMetadata(
  span: Pick<StoredSpan, 'metadata' | 'status' | 'durationMs' | 'totalTokens' | 'cost'>,
): Record<string, unknown> {
  const metadata = objectFromJsonText(span.metadata);
  if (span.status !== STATUS.running) {
    metadata['duration_ms'] = span.durationMs;
    metadata['total_tokens'] = span.totalTokens;
    metadata['cost'] = span.cost;
  }
  return metadata;
}

/** Members that a finished span's metadata get from the service. */
const SERVICE_MEMBERS = ['"duration_ms"', '"total_tokens"', '"cost"'];

/** The JSON of a span as the wire shows it; input, output and metadata, which can be large, are not parsed. */
export const spanJson = (span: StoredSpan): string => spanTexts(span).join('');

/** The texts that {@link spanJson} is made of: to put long ones together takes time. */
export function spanTexts(span: StoredSpan): string[] {
  const shown = shownStatus(span);
  const error = JSON.stringify(shown.error);
  const status =
    typeof shown.status === 'string'
      ? [`"${shown.status}"`]
      : ['{"failed":{"error":', error === 'null' ? '""' : error, '}}'];
  const endedAt = span.endedAt === null ? 'null' : `"${formatTimestamp(span.endedAt)}"`;
  return [
    `{"id":${JSON.stringify(span.id)},"trace_id":${JSON.stringify(span.traceId)},` +
      `"parent_id":${JSON.stringify(span.parentId)},"name":${JSON.stringify(span.name)},"kind":`,
    kindJson(span),
    ',"input":',
    span.input ?? 'null',
    ',"output":',
    span.output ?? 'null',
    ',"status":',
    ...status,
    ',"error":',
    error,
    `,"started_at":"${formatTimestamp(span.startedAt)}","ended_at":${endedAt},"metadata":`,
    metadataJson(span),
    '}',
  ];
}

/** Most kinds are shown as they are stored. */
function kindJson(span: StoredSpan): string {
  const isShown = span.kindType === 'llm_call' || (isOtlp(span) && span.cost !== null);
  return isShown ? JSON.stringify(shownKind(span)) : span.kind;
}

function metadataJson(span: StoredSpan): string {
  const { metadata, durationMs, totalTokens, cost } = span;
  if (span.status === STATUS.running) return metadata ?? '{}';
  // Members of the caller's that have such a name, at whatever depth, are replaced where they stand.
  if (metadata !== null && SERVICE_MEMBERS.some((member) => metadata.includes(member))) {
    const own = { duration_ms: durationMs, total_tokens: totalTokens, cost };
    return withMembers(metadata, own);
  }
  const own = metadata === null || metadata === '{}' ? '{' : `${metadata.slice(0, -1)},`;
  return `${own}"duration_ms":${durationMs},"total_tokens":${totalTokens},"cost":${JSON.stringify(cost)}}`;
}

/** The JSON of an object with members set as an assignment sets them: in place where the object has them, else behind all others. */
function withMembers(json: string, values: Readonly<Record<string, number | null>>): string {
  const left = new Map(Object.entries(values));
  let text = '';
  let from = 0;
  for (const { name, valueStart, end } of jsonMembers(json)) {
    const value = left.get(name);
    if (value === undefined) continue;
    left.delete(name);
    text += json.slice(from, valueStart) + JSON.stringify(value);
    from = end;
  }
  text += json.slice(from, -1);
  for (const [name, value] of left) text += `${text === '{' ? '' : ','}"${name}":${JSON.stringify(value)}`;
  return `${text}}`;
}
