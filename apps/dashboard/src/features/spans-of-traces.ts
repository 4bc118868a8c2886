import { api } from '../api/api.js';

/** The spans that stand for traces: the calls that answered, else their first spans; a trace without spans has none. */
export async function spansOfTraces(ids: readonly string[]): Promise<string[]> {
  const { traces } = await api.listTraces({ query: { ids: [...ids], preview: 1, limit: ids.length } });
  const found: string[] = [];
  for (const { id, answer_span_id: answer } of traces) {
    if (answer) found.push(answer);
    else {
      const query = { trace_id: id, sort_by: 'started_at', sort_order: 'asc', view: 'outline', limit: 1 } as const;
      found.push(...(await api.listSpans({ query })).spans.map((span) => span.id));
    }
  }
  return found;
}
