import { describe, expect, it } from '@jest/globals';
import { ingestSpanSchema, ingestTraceSchema } from '@spandrel/contract';
import { createItemTrace } from './item-trace.js';
import type { ObservedCall } from './model-call.js';

const run = { id: 'r1', name: 'nightly', datasetId: 'd1', repeats: 1 };
const sampleOf = (datapointId: string, repeat = 0) => ({ datapointId, repeat });
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
];
const usage = { inputTokens: 7, outputTokens: 2, cachedInputTokens: null, reasoningTokens: null };
const asked: ObservedCall = {
  asked: 'model',
  connection: { id: 'c1', providerName: 'openai' },
  call: { model: 'gpt-5.1', messages, temperature: 0.5 },
  startedAt: 1_000,
  endedAt: 4_000,
  attempts: 2,
  outcome: { text: 'Hi', finishReason: 'stop', usage, latencyMs: 900, attempts: 2 },
};
const judged: ObservedCall = { ...asked, asked: 'judge', attempts: 1, outcome: { error: 'HTTP 500 from http://j' } };

describe('the trace of an item', () => {
  it('shows what was sent and answered, a span for the model and one for the judge', () => {
    const { trace, spans } = createItemTrace(run, sampleOf('p1'), [asked, judged]);
    expect(trace).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'nightly',
      tags: ['eval'],
      metadata: { eval_run_id: 'r1', dataset_id: 'd1', datapoint_id: 'p1' },
      started_at: '1970-01-01T00:00:01.000Z',
    });
    expect(spans[0]).toEqual({
      id: `${trace.id}-0`,
      trace_id: trace.id,
      name: 'model call',
      kind: {
        type: 'llm_call',
        model: 'gpt-5.1',
        provider: 'openai',
        input_tokens: 7,
        output_tokens: 2,
        cached_input_tokens: null,
        reasoning_tokens: null,
      },
      input: messages,
      output: { text: 'Hi', finish_reason: 'stop' },
      metadata: { connection_id: 'c1', attempts: 2, latency_ms: 900, temperature: 0.5, max_tokens: null },
      started_at: '1970-01-01T00:00:01.000Z',
      ended_at: '1970-01-01T00:00:04.000Z',
    });
    expect(spans[1]).toMatchObject({ name: 'judge call', output: null, error: 'HTTP 500 from http://j' });
    expect(spans[1]!.kind).toEqual({ type: 'llm_call', model: 'gpt-5.1', provider: 'openai' });
  });

  it('is what ingest takes, and the same however often it is made', () => {
    const { trace, spans } = createItemTrace(run, sampleOf('p1'), [asked, judged]);
    expect(ingestTraceSchema.safeParse(trace).success).toBe(true);
    for (const span of spans) expect(ingestSpanSchema.safeParse(span).success).toBe(true);
    expect(createItemTrace(run, sampleOf('p1'), [judged]).trace.id).toBe(trace.id);
    expect(createItemTrace(run, sampleOf('p2'), [asked]).trace.id).not.toBe(trace.id);
    expect(createItemTrace({ ...run, id: 'r2' }, sampleOf('p1'), [asked]).trace.id).not.toBe(trace.id);
  });

  it('goes on when the clock went back', () => {
    const [span] = createItemTrace(run, sampleOf('p1'), [{ ...asked, endedAt: 10 }]).spans;
    expect(span!.ended_at).toBe(span!.started_at);
  });

  it('is another one for each try, which says which it is', () => {
    const often = { ...run, repeats: 3 };
    const traces = [0, 1, 2].map((repeat) => createItemTrace(often, sampleOf('p1', repeat), [asked]).trace);
    expect(new Set(traces.map(({ id }) => id)).size).toBe(3);
    expect(traces.map(({ metadata }) => metadata?.['repeat'])).toEqual([0, 1, 2]);
    expect(traces[0]!.id).toBe(createItemTrace(run, sampleOf('p1'), [asked]).trace.id);
  });

  it('names the scorer that asked the judge, where a run has several', () => {
    const { spans } = createItemTrace(run, sampleOf('p1'), [asked, { ...judged, scorer: 'tone' }]);
    expect(spans.map(({ metadata }) => (metadata as { scorer?: string }).scorer)).toEqual([undefined, 'tone']);
  });
});
