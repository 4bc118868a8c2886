/** Frameworks with their real packages, through the gateway and by their own exports (docs/clients.md). */
import { resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { FAKE_USAGE } from '../fake-provider/usage.ts';
import { runSender } from '../otlp/run-sender.ts';
import { Api } from '../support/api.ts';
import { startSpandrel, until, type Spandrel } from '../support/spandrel.ts';

const { input, output, cached, reasoning } = FAKE_USAGE;
/** What gpt-4.1-mini costs, in dollars per million tokens. */
const PRICE = { input: 0.4, cached: 0.1, output: 1.6 };
const costOf = (read: number): number =>
  ((input - read) * PRICE.input + read * PRICE.cached + output * PRICE.output) / 1e6;

const SYSTEM = { role: 'system', content: 'Answer in one sentence.' };
const asked = (scenario: string): string => `fake:${scenario} When is high tide?`;
const user = (scenario: string) => ({ role: 'user', content: asked(scenario) });
const answered = (text: string) => expect.objectContaining({ text: `You said: ${text}` });
const CALL = { id: 'call_fake0001', name: 'get_tide' };
const called = expect.objectContaining({ text: '', tool_calls: [{ ...CALL, arguments: '{"harbour":"長崎"}' }] });

let provider: FakeProvider;
let spandrel: Spandrel;
let api: Api;

beforeAll(async () => {
  provider = await startFakeProvider();
  spandrel = await startSpandrel({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
  api = new Api(spandrel.apiUrl);
});
afterAll(async () => {
  await spandrel?.stop();
  await provider?.close();
});
beforeEach(() => api.delete('/api/traces'));

/** Runs a program to its end. @returns the spans that the gateway recorded and those that came by OpenTelemetry, in their order. */
async function spansOf(
  program: string,
  calls: number,
): Promise<{ recorded: SpanResource[]; exported: SpanResource[] }> {
  const said = await runSender(
    { program: [resolve('test/clients', program)] },
    { OPENAI_BASE_URL: `${spandrel.gatewayUrl}/v1`, OTEL_EXPORTER_OTLP_ENDPOINT: spandrel.apiUrl },
  );
  expect(said).toBe('');
  const isRecorded = ({ metadata }: SpanResource): boolean => metadata['endpoint'] !== undefined;
  let spans: SpanResource[] = [];
  await until(async () => {
    spans = (await api.spans()).toReversed();
    return spans.filter((span) => isRecorded(span) && span.status !== 'running').length === calls;
  });
  return { recorded: spans.filter(isRecorded), exported: spans.filter((span) => !isRecorded(span)) };
}

function expectCost({ kind, metadata }: SpanResource, read: number): void {
  expect(kind).toMatchObject({ type: 'llm_call', model: 'gpt-4.1-mini', input_tokens: input, output_tokens: output });
  expect(kind['cached_input_tokens'] ?? 0).toBe(read);
  expect(metadata).toMatchObject({ cost_source: 'table', cost: expect.closeTo(costOf(read), 12) });
}

describe('LangChain', () => {
  it('is recorded: a call, a stream, a tool and its result, and Responses', async () => {
    const { recorded } = await spansOf('langchain.mjs', 5);
    recorded.forEach((span, place) => expectCost(span, [cached, cached, 0, 0, cached][place]!));
    expect(recorded[0]!.kind).toMatchObject({ reasoning_tokens: reasoning });
    expect(recorded.map(({ metadata }) => metadata['streaming'])).toEqual([false, true, false, false, false]);
    const [first, second, third, fourth, last] = recorded.map((span) => [span.input, span.output]);
    expect(first).toEqual([[SYSTEM, user('cached+reasoning')], answered(asked('cached+reasoning'))]);
    expect(second).toEqual([[SYSTEM, user('cached')], answered(asked('cached'))]);
    expect(third).toEqual([[user('tools')], called]);
    expect(fourth).toMatchObject([
      [user('tools'), { tool_calls: [{ id: CALL.id }] }, { role: 'tool', tool_call_id: CALL.id, content: '11:20' }],
      { text: 'You said: 11:20' },
    ]);
    expect(last).toEqual([[SYSTEM, user('cached')], answered(asked('cached'))]);
  });
});

describe('OpenAI Agents', () => {
  it('are recorded by both APIs: a run, a streamed one, and one with a tool', async () => {
    const { recorded } = await spansOf('openai-agents.mjs', 8);
    recorded.forEach((span, place) => expectCost(span, [cached, cached, 0, 0][place % 4]!));
    expect(recorded.map(({ metadata }) => metadata['streaming'])).toEqual([0, 1, 0, 0, 0, 1, 0, 0].map(Boolean));
    for (const half of [recorded.slice(0, 4), recorded.slice(4)]) {
      const [first, second, third, fourth] = half.map((span) => [span.input, span.output]);
      expect(first).toEqual([[SYSTEM, user('cached+reasoning')], answered(asked('cached+reasoning'))]);
      expect(second).toEqual([[SYSTEM, user('cached')], answered(asked('cached'))]);
      expect(third).toEqual([[SYSTEM, user('tools')], called]);
      expect(JSON.stringify(fourth![0])).toContain('11:20');
      expect(half[0]!.kind).toMatchObject({ reasoning_tokens: reasoning });
      expect(half[0]!.metadata['request']).toMatchObject({ tools: [{ type: 'function' }] });
    }
  });
});

describe('Strands Agents', () => {
  it('are recorded, and their export has agents, cycles, calls and tools, with tokens once', async () => {
    const { recorded, exported } = await spansOf('strands.mjs', 3);
    recorded.forEach((span, place) => expectCost(span, [cached, 0, 0][place]!));
    expect(recorded.every(({ metadata }) => metadata['streaming'] === true)).toBe(true);
    expect(recorded[1]!.output).toEqual(called);
    const named = (name: string): SpanResource[] => exported.filter((span) => span.name === name);
    expect(exported).toHaveLength(9);
    expect(named('execute_agent_loop_cycle')).toHaveLength(3);
    expect(named('invoke_agent Pilot').map(({ kind, metadata }) => [kind, metadata['reported_usage']])).toMatchObject([
      [
        { kind: 'agent', model: 'gpt-4.1-mini' },
        { input_tokens: input, cached_input_tokens: cached },
      ],
      [
        { kind: 'agent', model: 'gpt-4.1-mini' },
        { input_tokens: 2 * input, output_tokens: 2 * output },
      ],
    ]);
    const chats = named('chat');
    chats.forEach((span, place) => expectCost(span, [cached, 0, 0][place]!));
    const result = { role: 'tool', tool_call_id: CALL.id, content: '11:20' };
    expect(chats.map((span) => [span.input, span.output])).toMatchObject([
      [[SYSTEM, user('cached+reasoning')], answered(asked('cached+reasoning'))],
      [[SYSTEM, user('tools')], { text: null, tool_calls: [{ ...CALL, arguments: { harbour: '長崎' } }] }],
      [[SYSTEM, user('tools'), { tool_calls: [CALL] }, result], { text: 'You said: 11:20' }],
    ]);
    expect(named('execute_tool get_tide')).toMatchObject([
      { kind: { type: 'tool_call', name: 'get_tide', call_id: CALL.id }, input: { harbour: '長崎' }, output: '11:20' },
    ]);
    const traces = await api.traces('name_contains=Pilot');
    expect(traces.map(({ total_tokens }) => total_tokens)).toEqual([2 * (input + output), input + output]);
  });
});
