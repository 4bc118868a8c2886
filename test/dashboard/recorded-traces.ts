/** Traces as an application would have recorded them. */
import { expect } from '@jest/globals';
import type { Api } from '../support/api.ts';

const MINUTE_MS = 60_000;
const BATCH = 500;
const NAMES = ['answer a ticket', 'classify intent', 'summarise a call', 'checkout'];

/** What is recorded of trace `n`, newest first; every tenth failed, every third is tagged `vip`. */
export interface RecordedTrace {
  id: string;
  name: string;
  isFailed: boolean;
}

/** Records traces a minute apart, each with one LLM call. @param prefix of their ids. */
export async function recordTraces(api: Api, count: number, prefix = 'trace'): Promise<RecordedTrace[]> {
  const now = Date.now();
  const recorded = Array.from({ length: count }, (_, n) => ({
    id: `${prefix}-${n}`,
    name: `${NAMES[n % NAMES.length]} ${n}`,
    isFailed: n % 10 === 3,
  }));
  for (let from = 0; from < count; from += BATCH) {
    const batch = recorded.slice(from, from + BATCH);
    const answer = await api.post<{ rejected: unknown[] }>('/api/ingest', {
      traces: batch.map(({ id, name }, at) => ({
        ...{ id, name, started_at: timeOf(now, from + at), session_id: `session-${at % 7}`, user_id: 'ann' },
        tags: (from + at) % 3 === 0 ? ['vip', 'prod'] : ['prod'],
      })),
      spans: batch.map(({ id, isFailed }, at) => spanOf(id, timeOf(now, from + at), isFailed)),
    });
    expect([answer.status, answer.body.rejected]).toEqual([200, []]);
  }
  return recorded;
}

const timeOf = (now: number, n: number): string => new Date(now - (n + 1) * MINUTE_MS).toISOString();

function spanOf(traceId: string, startedAt: string, isFailed: boolean): Record<string, unknown> {
  return {
    ...{ id: `${traceId}-call`, trace_id: traceId, name: 'chat', started_at: startedAt },
    ended_at: new Date(Date.parse(startedAt) + 1_200).toISOString(),
    kind: { type: 'llm_call', model: 'gpt-4o-mini', provider: 'openai', input_tokens: 1_200, output_tokens: 80 },
    input: { messages: [{ role: 'user', content: 'Hello' }] },
    output: { content: 'Good day' },
    ...(isFailed ? { status: 'failed', error: 'the model is overloaded' } : { status: 'completed' }),
  };
}
