import { call } from './call.js';
import { tracesByIds } from './traces.js';

/** What an id leads to. */
export type Found = { kind: 'trace'; traceId: string } | { kind: 'span'; traceId: string; spanId: string };

/** Finds what an id belongs to: a trace or a span. @returns `null` where it is neither. */
export async function findById(id: string): Promise<Found | null> {
  const [trace] = await tracesByIds([id]);
  if (trace !== undefined) return { kind: 'trace', traceId: trace.id };
  const { spans } = await call<{ spans: { id: string; trace_id: string }[] }>('/api/spans', {
    query: { ids: [id], view: 'outline', limit: 1 },
  });
  const [span] = spans;
  return span === undefined ? null : { kind: 'span', traceId: span.trace_id, spanId: span.id };
}
