import { type SpanKind, type SpanStatus, formatTimestamp, jsonMembers } from '@spandrel/contract';
import { fromJsonText, objectFromJsonText } from '@spandrel/storage';
import { costSource, isPricedKind } from './pricing/cost-of-span.js';
import { isOtlp } from './usage-attribution/usage-attribution.js';
import { type StoredSpan, STATUS } from './span.entity.js';

/** The status, and the error that a failed one repeats (docs/spec/spans.md#status-on-the-wire). */
export function shownStatus(span: Pick<StoredSpan, 'status' | 'error'>): { status: SpanStatus; error: string | null } {
  const error = fromJsonText(span.error) as string | null;
  if (span.status === STATUS.failed) return { status: { failed: { error: error ?? '' } }, error };
  return { status: span.status === STATUS.completed ? 'completed' : 'running', error };
}

/**
 * The caller's kind with the estimated cost; an `llm_call` always shows its well-known members.
 * @param kind the stored kind, where that is parsed already; it is changed.
 */
export function shownKind(
  span: Pick<StoredSpan, 'kind' | 'cost' | 'cover'>,
  kind: SpanKind = fromJsonText(span.kind) as SpanKind,
): SpanKind {
  if (kind.type !== 'llm_call') {
    if (span.cost !== null && isPricedKind(kind.type, isOtlp(span))) kind['cost'] ??= span.cost;
    return kind;
  }
  kind['provider'] ??= null;
  kind['input_tokens'] ??= null;
  kind['output_tokens'] ??= null;
  kind['cost'] ??= span.cost;
  return kind;
}

/** The caller's own members, and on a finished span the service's, which win (docs/spec/spans.md#metadata). */
export const shownMetadata = (span: ShownMetadata): Record<string, unknown> => ({
  ...objectFromJsonText(span.metadata),
  ...serviceMembers(span),
});

type ShownMetadata = Pick<
  StoredSpan,
  'metadata' | 'status' | 'durationMs' | 'totalTokens' | 'cost' | 'kind' | 'kindType' | 'cover'
>;

/** What the service says in the metadata of a finished span. @param kind the stored kind, where that is parsed already. */
function serviceMembers(span: ShownMetadata, kind?: SpanKind): Partial<Record<ServiceMember, string | number | null>> {
  if (span.status === STATUS.running) return {};
  return {
    duration_ms: span.durationMs,
    total_tokens: span.totalTokens,
    cost: span.cost,
    cost_source: costSource(span, kind),
  };
}

const SERVICE_MEMBERS = ['duration_ms', 'total_tokens', 'cost', 'cost_source'] as const;
type ServiceMember = (typeof SERVICE_MEMBERS)[number];

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
  const kind = showsCost(span) ? (fromJsonText(span.kind) as SpanKind) : undefined;
  // Before the cost is shown in the kind, where the caller's own would stand.
  const metadata = metadataJson(span, kind);
  const endedAt = span.endedAt === null ? 'null' : `"${formatTimestamp(span.endedAt)}"`;
  return [
    `{"id":${JSON.stringify(span.id)},"trace_id":${JSON.stringify(span.traceId)},` +
      `"parent_id":${JSON.stringify(span.parentId)},"name":${JSON.stringify(span.name)},"kind":`,
    kind ? JSON.stringify(shownKind(span, kind)) : span.kind,
    ',"input":',
    span.input ?? 'null',
    ',"output":',
    span.output ?? 'null',
    ',"status":',
    ...status,
    ',"error":',
    error,
    `,"started_at":"${formatTimestamp(span.startedAt)}","ended_at":${endedAt},"metadata":`,
    metadata,
    '}',
  ];
}

/** {@link spanTexts} with more members behind those of the span; what is `undefined` is left out. */
export function spanTextsWith(span: StoredSpan, members: Readonly<Record<string, unknown>>): string[] {
  const added = Object.entries(members).filter(([, value]) => value !== undefined);
  const texts = added.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return [...spanTexts(span).slice(0, -1), ...texts, '}'];
}

/** Most kinds are shown as they are stored. */
const showsCost = (span: StoredSpan): boolean =>
  span.kindType === 'llm_call' || (span.cost !== null && isPricedKind(span.kindType, isOtlp(span)));

function metadataJson(span: StoredSpan, kind: SpanKind | undefined): string {
  const { metadata } = span;
  if (span.status === STATUS.running) return metadata ?? '{}';
  const own = serviceMembers(span, kind);
  // Members of the caller's that have such a name, at whatever depth, are replaced where they stand.
  if (metadata !== null && SERVICE_MEMBERS.some((member) => metadata.includes(`"${member}"`))) {
    return withMembers(metadata, own);
  }
  const before = metadata === null || metadata === '{}' ? '{' : `${metadata.slice(0, -1)},`;
  return `${before}${JSON.stringify(own).slice(1)}`;
}

/** The JSON of an object with members set as an assignment sets them: in place where the object has them, else behind all others. */
function withMembers(json: string, values: Readonly<Record<string, string | number | null>>): string {
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
