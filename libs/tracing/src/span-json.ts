import { formatTimestamp } from '@spandrel/contract';
import { isOtlp } from './cover/usage-cover.js';
import { shownKind, shownMetadata, shownStatus } from './span-resource.js';
import type { StoredSpan } from './span.entity.js';
import { STATUS } from './status.js';

/** Members that a finished span's metadata get from the service. */
const SERVICE_MEMBERS = ['"duration_ms"', '"total_tokens"', '"cost"'];

/**
 * The JSON of `spanResource(span)`, character by character the same, made without parsing and writing anew what can be
 * large: input, output, kind and metadata are stored as JSON.
 */
export function spanJson(span: StoredSpan): string {
  const { status, error } = shownStatus(span);
  const endedAt = span.endedAt === null ? 'null' : `"${formatTimestamp(span.endedAt)}"`;
  return (
    `{"id":${JSON.stringify(span.id)},"trace_id":${JSON.stringify(span.traceId)},` +
    `"parent_id":${JSON.stringify(span.parentId)},"name":${JSON.stringify(span.name)},` +
    `"kind":${kindJson(span)},"input":${span.input ?? 'null'},"output":${span.output ?? 'null'},` +
    `"status":${JSON.stringify(status)},"error":${JSON.stringify(error)},` +
    `"started_at":"${formatTimestamp(span.startedAt)}","ended_at":${endedAt},` +
    `"metadata":${metadataJson(span)}}`
  );
}

const kindJson = (span: StoredSpan): string =>
  span.kindType === 'llm_call' || (isOtlp(span) && span.cost !== null) ? JSON.stringify(shownKind(span)) : span.kind;

function metadataJson(span: StoredSpan): string {
  const { metadata, durationMs, totalTokens, cost } = span;
  if (span.status === STATUS.running) return metadata ?? '{}';
  // Members of the caller's that have such a name, at whatever depth, are replaced where they stand.
  if (metadata !== null && SERVICE_MEMBERS.some((member) => metadata.includes(member))) {
    return JSON.stringify(shownMetadata(span));
  }
  const own = metadata === null || metadata === '{}' ? '{' : `${metadata.slice(0, -1)},`;
  return `${own}"duration_ms":${durationMs},"total_tokens":${totalTokens},"cost":${JSON.stringify(cost)}}`;
}
