import { formatTimestamp } from '@spandrel/contract';
import { shownKind, shownMetadata, shownStatus } from './span-resource.js';
import type { StoredSpan } from './span.entity.js';

/**
 * The JSON of `spanResource(span)`, character by character the same, made without parsing and writing anew what can be
 * large: input and output are stored as JSON.
 */
export function spanJson(span: StoredSpan): string {
  const { status, error } = shownStatus(span);
  const endedAt = span.endedAt === null ? 'null' : `"${formatTimestamp(span.endedAt)}"`;
  return (
    `{"id":${JSON.stringify(span.id)},"trace_id":${JSON.stringify(span.traceId)},` +
    `"parent_id":${JSON.stringify(span.parentId)},"name":${JSON.stringify(span.name)},` +
    `"kind":${JSON.stringify(shownKind(span))},"input":${span.input ?? 'null'},"output":${span.output ?? 'null'},` +
    `"status":${JSON.stringify(status)},"error":${JSON.stringify(error)},` +
    `"started_at":"${formatTimestamp(span.startedAt)}","ended_at":${endedAt},` +
    `"metadata":${JSON.stringify(shownMetadata(span))}}`
  );
}
