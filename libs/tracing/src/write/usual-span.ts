import {
  CLIENT_ID,
  isStorableText,
  KEY_LENGTH_MAX,
  NAME_LENGTH_MAX,
  parseTimestamp,
  type IngestSpan,
  type SpanKind,
} from '@spandrel/contract';

/** Members of an `llm_call` that are counts. */
const COUNTS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'reasoning_tokens'] as const;

/**
 * A span of an ingest as `ingestedSpanSchema` reads it, for spans as they usually are: a fifth of the schema's time and of what it
 * leaves to be collected. Whatever is not plainly right is left to the schema, which has the rules and says what is wrong.
 * @returns `undefined` for what the schema is to look at.
 */
export function usualSpan(value: unknown): IngestSpan | undefined {
  if (!isObject(value)) return undefined;
  const { id, trace_id: traceId, parent_id: parentId, name, kind, status, error, metadata } = value;
  const isUsual =
    isClientId(id) &&
    typeof traceId === 'string' &&
    isStorableText(traceId) &&
    (isNone(parentId) || isClientId(parentId)) &&
    isText(name, NAME_LENGTH_MAX) &&
    (isNone(kind) || isUsualKind(kind)) &&
    (isNone(status) || status === 'running' || status === 'completed' || status === 'failed') &&
    (isNone(error) || typeof error === 'string') &&
    (isNone(metadata) || isObject(metadata));
  if (!isUsual) return undefined;
  const startedAt = timeOf(value['started_at']);
  const endedAt = timeOf(value['ended_at']);
  if (startedAt === 'unclear' || endedAt === 'unclear') return undefined;
  return {
    id,
    trace_id: traceId,
    parent_id: parentId,
    name,
    kind,
    input: value['input'],
    output: value['output'],
    status,
    error,
    started_at: startedAt,
    ended_at: endedAt,
    metadata,
  };
}

function isUsualKind(kind: unknown): kind is SpanKind {
  if (!isObject(kind)) return false;
  const { type, model, provider, cost } = kind;
  if (!isText(type, KEY_LENGTH_MAX) || type === '') return false;
  if (type !== 'llm_call') return isKeyOrOther(model) && isKeyOrOther(provider);
  return (
    isText(model, KEY_LENGTH_MAX) &&
    (isNone(provider) || isText(provider, KEY_LENGTH_MAX)) &&
    COUNTS.every(
      (count) => isNone(kind[count]) || (Number.isSafeInteger(kind[count]) && (kind[count] as number) >= 0),
    ) &&
    (isNone(cost) || (typeof cost === 'number' && cost >= 0))
  );
}

/** A timestamp, in milliseconds since the epoch. */
function timeOf(value: unknown): number | null | undefined | 'unclear' {
  if (isNone(value)) return value;
  return (typeof value === 'string' ? parseTimestamp(value) : undefined) ?? 'unclear';
}

const isNone = (value: unknown): value is null | undefined => value === null || value === undefined;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
const isClientId = (value: unknown): value is string => typeof value === 'string' && CLIENT_ID.test(value);
const isText = (value: unknown, lengthMax: number): value is string =>
  typeof value === 'string' && value.length <= lengthMax && isStorableText(value);
const isKeyOrOther = (value: unknown): boolean => typeof value !== 'string' || isText(value, KEY_LENGTH_MAX);
