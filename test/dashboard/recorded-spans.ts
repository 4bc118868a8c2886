/** Traces whose spans are looked at one by one. */
import { expect } from '@jest/globals';
import type { Api } from '../support/api.ts';

const NOON = Date.parse('2026-11-22T12:00:00.000Z');
const BATCH = 2_000;

/** Milliseconds after noon as a timestamp. */
const at = (ms: number): string => new Date(NOON + ms).toISOString();

/** An image of one pixel. */
export const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A root and below it steps of ten calls each; every 101st span failed, of the first ten thousand 99. */
export async function recordManySpans(api: Api, traceId: string, count: number): Promise<void> {
  const root = { id: `${traceId}-0`, trace_id: traceId, name: 'agent run', kind: { type: 'agent' } };
  const spans: object[] = [{ ...root, started_at: at(0), ended_at: at(count * 10) }];
  for (let n = 1; n < count; n++) {
    const head = n - ((n - 1) % 10);
    const isHead = head === n;
    spans.push({
      ...{ id: `${traceId}-${n}`, trace_id: traceId, parent_id: `${traceId}-${isHead ? 0 : head}` },
      ...{ name: isHead ? `step ${n}` : `call ${n}`, started_at: at(n * 10), ended_at: at(n * 10 + (isHead ? 95 : 9)) },
      kind: isHead ? { type: 'custom' } : { type: 'llm_call', model: 'gpt-5.1', input_tokens: n, output_tokens: 7 },
      ...(n % 101 === 50 && { status: { failed: { error: `overloaded, request ${n}` } } }),
    });
  }
  await ingest(api, [{ id: traceId, name: 'Many spans', started_at: at(0) }], spans);
}

/** A call of a model with everything that a message can hold, some of it hostile, and a span that failed. */
export async function recordRichTrace(api: Api): Promise<void> {
  const root = { id: 'rich-root', trace_id: 'rich', name: 'answer', kind: { type: 'agent' } };
  const call = {
    ...{ id: 'rich-call', trace_id: 'rich', parent_id: 'rich-root', name: 'gpt-5.1' },
    ...{ started_at: at(100), ended_at: at(2_100) },
    kind: {
      ...{ type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 1_234, output_tokens: 56 },
      ...{ cached_input_tokens: 1_000, reasoning_tokens: 12, cost: 0.0123 },
    },
    input: [
      { role: 'system', content: 'Be brief.\nTwo lines.<script>window.harmed = true</script>' },
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: 'What is **this**? [press](javascript:window.harmed=true) ![](https://evil.example/a.png)',
          },
          { type: 'image_url', image_url: { url: PIXEL } },
          { type: 'image_url', image_url: { url: 'https://evil.example/b.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'tides', arguments: '{"port":12345678901234567890}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: Array.from({ length: 60 }, (_, n) => `line ${n}`).join('\n') },
    ],
    output: { text: 'High at **noon**.', finish_reason: 'stop' },
    metadata: { time_to_first_token_ms: 321 },
  };
  const failed = {
    ...{ id: 'rich-failed', trace_id: 'rich', parent_id: 'rich-root', name: 'book', kind: { type: 'tool_call' } },
    ...{ started_at: at(2_200), ended_at: at(2_300), status: { failed: { error: 'the harbour is closed' } } },
  };
  const spans = [{ ...root, started_at: at(0), ended_at: at(2_400) }, call, failed];
  await ingest(api, [{ id: 'rich', name: 'A rich trace', started_at: at(0), session_id: ' a' }], spans);
}

/** A span whose output is 3 MB of JSON with a number of 20 digits. */
export async function recordLargeOutput(api: Api): Promise<void> {
  const rows = Array.from({ length: 30_000 }, (_, n) => ({
    n,
    name: `item ${n}`,
    note: 'lorem ipsum dolor sit amet '.repeat(2),
  }));
  const span = { id: 'large-1', trace_id: 'large', name: 'export', started_at: at(0), ended_at: at(500) };
  // Written by hand: a double does not hold the number.
  const output = `{"rows":${JSON.stringify(rows)},"big":12345678901234567890,"last_member":"the needle"}`;
  const body = `{"traces":[{"id":"large"}],"spans":[${JSON.stringify(span).slice(0, -1)},"output":${output}}]}`;
  const answer = await api.post<{ rejected: unknown[] }>('/api/ingest', body);
  expect([answer.status, answer.body.rejected]).toEqual([200, []]);
}

async function ingest(api: Api, traces: object[], spans: object[]): Promise<void> {
  for (let from = 0; from < spans.length; from += BATCH) {
    const body = { traces: from === 0 ? traces : [], spans: spans.slice(from, from + BATCH) };
    const answer = await api.post<{ rejected: unknown[] }>('/api/ingest', body);
    expect([answer.status, answer.body.rejected]).toEqual([200, []]);
  }
}
