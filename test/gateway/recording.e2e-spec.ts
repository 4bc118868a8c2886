/** What is recorded of calls through a started gateway. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { recorded, startFakeApi, type FakeApi } from './support/fake-api.js';
import { startGateway, type StartedGateway } from './support/start.js';

let upstream: FakeProvider;
let api: FakeApi;
let gateway: StartedGateway;

beforeEach(async () => {
  upstream = await startFakeProvider();
  api = await startFakeApi();
  gateway = await startGateway(upstream.url, { apiUrl: api.url });
});
afterEach(async () => {
  await gateway.close();
  await api.close();
  await upstream.close();
});

const chat = (body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-canary-0123456789', ...headers },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Say hello.' }], ...body }),
  });

describe('a call through the gateway', () => {
  it('is recorded whole', async () => {
    const answer = await chat({ temperature: 0.2 });
    expect(answer.status).toBe(200);
    const text = ((await answer.json()) as { choices: { message: { content: string } }[] }).choices[0]!.message.content;
    const [span] = await recorded(api);
    expect(span).toMatchObject({
      name: 'gpt-4o',
      status: 'completed',
      kind: { type: 'llm_call', provider: 'openai', model: 'gpt-4o' },
      input: [{ role: 'user', content: 'Say hello.' }],
      output: { text, finish_reason: 'stop' },
      metadata: { endpoint: 'chat.completions', status_code: 200, streaming: false, request: { temperature: 0.2 } },
    });
    expect(api.traces.get(span!.trace_id)).toMatchObject({ defaults: { name: 'gpt-4o' } });
  });

  it('is recorded when it streams', async () => {
    const answer = await chat({ stream: true });
    expect((await answer.text()).trimEnd()).toMatch(/\[DONE\]$/);
    const [span] = await recorded(api);
    expect(span).toMatchObject({ status: 'completed', output: { finish_reason: 'stop' }, metadata: { streaming: true } });
    expect(span!.metadata['time_to_first_token_ms']).toEqual(expect.any(Number));
  });
});
