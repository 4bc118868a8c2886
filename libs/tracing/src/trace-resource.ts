import { formatTimestamp, type TraceListItem, type TraceResource } from '@spandrel/contract';
import { objectFromJsonText } from '@spandrel/storage';
import { costOf, modelsOf } from './write/trace-rollup.js';
import { statusName } from './span.entity.js';
import { lengthOfTrace, type TraceRow } from './trace.entity.js';

/** A stored trace as the wire shows it (docs/spec/traces.md#the-trace-object). */
export function traceResource(trace: TraceRow): TraceResource {
  const endedAt = traceEndedAt(trace);
  return {
    id: trace.id,
    name: trace.name,
    tags: JSON.parse(trace.tags) as string[],
    session_id: trace.sessionId,
    user_id: trace.userId,
    metadata: objectFromJsonText(trace.metadata),
    started_at: formatTimestamp(trace.startedAt),
    ended_at: endedAt === null ? null : formatTimestamp(endedAt),
  };
}

/** The JSON of {@link traceResource}, made without parsing and writing again what can be large. */
export function traceJson(trace: TraceRow): string {
  const endedAt = traceEndedAt(trace);
  const [name, sessionId, userId] = [trace.name, trace.sessionId, trace.userId].map((text) => JSON.stringify(text));
  return (
    `{"id":${JSON.stringify(trace.id)},"name":${name},"tags":${trace.tags},"session_id":${sessionId},"user_id":${userId},` +
    `"metadata":${trace.metadata},"started_at":"${formatTimestamp(trace.startedAt)}",` +
    `"ended_at":${endedAt === null ? 'null' : `"${formatTimestamp(endedAt)}"`}}`
  );
}

/** The trace with the roll-up of its spans (docs/spec/traces.md#sums-of-a-trace). */
export const traceListItem = (trace: TraceRow): TraceListItem => ({ ...traceResource(trace), ...rollup(trace) });

function rollup(trace: TraceRow): Omit<TraceListItem, keyof TraceResource> {
  return {
    status: statusName(trace.status),
    span_count: trace.spanCount,
    error_count: trace.errorCount,
    total_tokens: trace.totalTokens,
    total_cost: trace.costCount === 0 ? null : costOf({ usd: trace.costUsd, pico: trace.costPico }),
    unpriced_count: trace.unpricedCount,
    duration_ms: lengthOfTrace(trace),
    models: modelsOf(trace),
  };
}

/** The JSON of {@link traceListItem}, made as {@link traceJson} is. @param previews members behind all others. */
export const traceListItemJson = (
  trace: TraceRow,
  previews: Pick<TraceListItem, 'input_preview' | 'output_preview' | 'answer_span_id'> = {},
): string => `${traceJson(trace).slice(0, -1)},${JSON.stringify({ ...rollup(trace), ...previews }).slice(1)}`;

/** The latest end of its spans once there are some and none is running. */
const traceEndedAt = (trace: TraceRow): number | null =>
  trace.spanCount > 0 && trace.runningCount === 0 ? trace.lastEndedAt : null;
