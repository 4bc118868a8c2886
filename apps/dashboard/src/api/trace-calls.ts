import { call } from './call.js';
import type { Query } from './query-text.js';

/** The span of each trace that stands for it: its last call of a model, else the first of its spans. A trace without spans has none. */
export async function spansOfTraces(traceIds: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  // One request after the other: a selection may be long.
  for (const traceId of traceIds) {
    const id =
      (await firstSpan({ trace_id: traceId, kind: 'llm_call', sort_order: 'desc' })) ??
      (await firstSpan({ trace_id: traceId, sort_order: 'asc' }));
    if (id !== null) ids.push(id);
  }
  return ids;
}

async function firstSpan(filters: Query): Promise<string | null> {
  const { spans } = await call<{ spans: { id: string }[] }>('/api/spans', {
    query: { ...filters, sort_by: 'started_at', view: 'outline', limit: 1 },
  });
  return spans[0]?.id ?? null;
}
