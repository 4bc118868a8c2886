import type { ReadStoreTrace } from '@spandrel/plugin-api';
import { objectFromJsonText, toJsonText } from '@spandrel/storage';
import { lengthOfTrace, modelsOf, statusName, type TraceRow } from '@spandrel/tracing';

/** A trace as a read store keeps it. */
export function storedTrace(trace: TraceRow): ReadStoreTrace {
  return {
    id: trace.id,
    name: trace.name,
    session_id: trace.sessionId,
    user_id: trace.userId,
    tags: [...new Set(JSON.parse(trace.tags) as string[])].toSorted(),
    models: modelsOf(trace),
    metadata: membersOf(trace.metadata),
    status: statusName(trace.status),
    started_at: trace.startedAt,
    duration_ms: lengthOfTrace(trace),
    cost: trace.costCount === 0 ? null : trace.costUsd + trace.costPico / 1e12,
    total_tokens: trace.totalTokens,
    span_count: trace.spanCount,
  };
}

/** Metadata with NUL or half a surrogate pair, which Postgres cannot read, count as none on all databases. */
const isReadable = (metadata: string): boolean => !metadata.includes('\\u0000') && !metadata.includes('\\ud');

function membersOf(metadata: string): Record<string, string> {
  if (metadata === '{}' || !isReadable(metadata)) return {};
  const members = Object.entries(objectFromJsonText(metadata));
  return Object.fromEntries(
    members.flatMap(([key, value]) => {
      const text = typeof value === 'string' ? value : toJsonText(value);
      return text === null ? [] : [[key, text]];
    }),
  );
}

const FIRST_TOKEN = 'time_to_first_token_ms';

/** The time to the first token in whole milliseconds, where the metadata of a span say it in plain digits. */
export function firstTokenMs(metadata: string | null): number | null {
  if (!metadata?.includes(`"${FIRST_TOKEN}"`) || !isReadable(metadata)) return null;
  const value = objectFromJsonText(metadata)[FIRST_TOKEN];
  const written = typeof value === 'string' ? '' : (toJsonText(value) ?? '');
  return /^[0-9.]{1,15}$/.test(written) ? Math.floor(Number(written) + 0.5) : null;
}
