import type { Api } from '../support/api.ts';

/** A text that would take over a terminal which obeys it. */
const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u009b31m';

/** The ids of what {@link record} records. */
export const RECORDED = {
  trace: 'trace-support',
  root: 'span-root',
  call: 'span-call',
  tool: 'span-tool',
  other: 'trace-other',
} as const;

const at = (second: number): string => `2026-11-20T09:00:0${second}.000Z`;

/** Records two traces: one of three spans, the last of which failed, one of a single call. */
export async function record(api: Api): Promise<void> {
  const { trace, root, call, tool, other } = RECORDED;
  const llm = (model: string, cost: number) => ({
    ...{ type: 'llm_call', provider: 'openai', model, cost },
    ...{ input_tokens: 1_000, output_tokens: 234 },
  });
  const { body, status } = await api.post<{ rejected: unknown[] }>('/api/ingest', {
    traces: [
      { id: trace, name: 'support chat', session_id: 's1', user_id: 'ada', tags: ['prod'], started_at: at(0) },
      { id: other, name: '東京タワーの高さは何メートルですか', session_id: 's2', started_at: at(5) },
    ],
    spans: [
      {
        id: root,
        trace_id: trace,
        name: 'answer',
        input: 'question',
        output: 'answer',
        started_at: at(0),
        ended_at: at(4),
      },
      {
        ...{ id: call, trace_id: trace, parent_id: root, name: 'gpt-4o', kind: llm('gpt-4o', 0.0123) },
        ...{ input: [{ role: 'user', content: 'How high?' }], output: { text: `333 m ${ESCAPES}` } },
        ...{ started_at: at(1), ended_at: at(3) },
      },
      {
        ...{ id: tool, trace_id: trace, parent_id: root, name: 'search', kind: { type: 'tool_call' } },
        ...{ error: `quota is used up ${ESCAPES}`, started_at: at(3), ended_at: at(4) },
      },
      {
        ...{ id: 'span-other', trace_id: other, name: `a name ${ESCAPES}`, kind: llm('gpt-4o-mini', 0.5) },
        ...{ input: 'x'.repeat(5_000), output: 'y', metadata: { exact: JSON.rawJSON('12345678901234567890.10') } },
        ...{ started_at: at(5), ended_at: at(6) },
      },
    ],
  });
  if (status !== 200 || body.rejected.length > 0) throw new Error(JSON.stringify(body));
}
