import { describe, expect, it } from '@jest/globals';
import type { ConnectionResource, RecordedCall, SpanResource, TryEvent } from '@spandrel/contract';
import { tryCallOf, variantOf, variantsOf, withEvent, type ShownRun } from './variants.js';

const connection = (provider: string): ConnectionResource =>
  ({ id: `${provider}-id`, provider, default_model: 'usual' }) as ConnectionResource;
const CALL: RecordedCall = {
  ...{ messages: [{ role: 'user', content: 'Hi' }], model: 'gpt-5.1', provider: 'openai', tools: [], isCut: false },
  parameters: { temperature: 0, max_tokens: 9, seed: 7 },
};
const after = (...events: object[]): readonly ShownRun[] =>
  events.reduce<readonly ShownRun[]>((runs, event) => withEvent(runs, event as TryEvent), []);

describe('a variant', () => {
  it('begins with what its provider takes of the recorded call', () => {
    expect(variantOf(0, connection('openai'), CALL)).toMatchObject({
      ...{ connection: 'openai-id', model: 'gpt-5.1', temperature: '0', maxTokens: '9', others: '{"seed":7}' },
    });
    expect(variantOf(1, connection('ollama'), CALL)).toMatchObject({
      ...{ key: 1, model: 'usual', temperature: '0', maxTokens: '9', others: '' },
    });
    expect(variantOf(0, connection('ollama'), null)).toMatchObject({ temperature: '', maxTokens: '', others: '' });
  });

  it('asks what is filled in', () => {
    const variant = { ...variantOf(0, connection('openai'), CALL), times: '3', model: ' m ' };
    expect(tryCallOf(variant, CALL.messages as never, '[{"name":"tide"}]')).toEqual({
      ...{ connection_id: 'openai-id', model: 'm', messages: CALL.messages, n: 3, tools: [{ name: 'tide' }] },
      parameters: { temperature: 0, max_tokens: 9, seed: 7 },
    });
    expect(tryCallOf({ ...variant, others: '', temperature: '', maxTokens: '', times: '1' }, [], '')).toEqual({
      ...{ connection_id: 'openai-id', model: 'm', messages: [], parameters: {}, tools: [] },
    });
    expect(() => tryCallOf({ ...variant, others: '{' }, [], '')).toThrow('The parameters are not JSON.');
    expect(() => tryCallOf(variant, [], '[')).toThrow('The tools are not JSON.');
  });
});

describe('the runs of a variant', () => {
  it('grow by what comes, and keep what was said until they failed', () => {
    const begun = { type: 'begun', span_id: 's' };
    const said = [begun, { type: 'delta', text: 'You ' }, { type: 'delta', text: 'said', reasoning: 'Hm' }];
    expect(after(...said, { type: 'delta', tool_call: 'tide' })).toMatchObject([
      { id: 's', state: 'running', text: 'You said', reasoning: 'Hm', toolCalls: [{ name: 'tide' }] },
    ]);
    const over = { type: 'run', output: { text: 'You said more', finish_reason: 'stop' }, cost: 2 };
    expect(after(...said, over, { ...begun, span_id: 't' }, { type: 'error', detail: 'cut' })).toMatchObject([
      { id: 's', state: 'done', text: 'You said more', facts: { cost: 2 } },
      { id: 't', state: 'failed', error: 'cut' },
    ]);
  });

  it('are those of one variant when they were asked the same way', () => {
    const span = (id: string, temperature: number, error: string | null = null): SpanResource =>
      ({
        ...{ id, error, kind: { model: 'm', cost: 1, output_tokens: 3 }, output: { text: id } },
        metadata: { connection_id: 'c', request: { temperature, seed: 1, tools: [] }, time_to_first_token_ms: 5 },
        ...{ started_at: '2026-01-01T00:00:00.000Z', ended_at: '2026-01-01T00:00:00.020Z' },
      }) as unknown as SpanResource;
    expect(variantsOf([span('a', 1), span('b', 0, 'gone'), span('c', 1)])).toMatchObject([
      {
        ...{ key: 0, connection: 'c', model: 'm', temperature: '1', others: '{"seed":1}' },
        runs: [
          { id: 'a', text: 'a', state: 'done', facts: { latency_ms: 20, time_to_first_token_ms: 5 } },
          { id: 'c' },
        ],
      },
      { key: 1, temperature: '0', runs: [{ id: 'b', state: 'failed', error: 'gone' }] },
    ]);
  });
});
