/** The API may be down, slow or broken: calls go on, recordings arrive once, losses are counted. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { finished, recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { startGateway, type StartedGateway } from './support/start.js';

let upstream: FakeProvider;
let api: FakeApi;
let gateway: StartedGateway;

beforeEach(async () => {
  upstream = await startFakeProvider();
  api = await startFakeApi();
});
afterEach(async () => {
  await gateway.close();
  await api.close();
  await upstream.close();
});

async function call(content = 'Hi', headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  });
  await answer.text();
  expect(answer.status).toBe(200);
}

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
};
const ready = async (): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await fetch(`${gateway.url}/readyz`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const startWith = async (settings = {}): Promise<void> => {
  gateway = await startGateway(upstream.url, { apiUrl: api.url, deliverMs: 300, shutdownMs: 1_000, ...settings });
};

describe('while the API', () => {
  it.each(['hang', 'unavailable', 'flaky', { status: 429 }] as const)(
    'is %j, calls are answered all the same, and all is delivered once later',
    async (mood) => {
      await startWith();
      api.mood = mood;
      for (let i = 0; i < 40; i++) await call();
      if (mood !== 'flaky') expect(finished(api)).toHaveLength(0);
      if (mood !== 'flaky') api.mood = 'up';
      await recorded(api, 40, 15_000);
      await until(async () => (await metric('spandrel_gateway_spool_items')) === 0, 15_000);
      expect(finished(api)).toHaveLength(40);
      expect(await metric('spandrel_gateway_dropped_recordings_total')).toBe(0);
      expect(await metric('spandrel_gateway_delivered_recordings_total')).toBe(40);
    },
    40_000,
  );

  it('is down, the gateway is ready and says so', async () => {
    await startWith();
    api.mood = 'unavailable';
    await call();
    await until(async () => (await ready()).body['api'] === 'down');
    expect(await ready()).toMatchObject({
      status: 200,
      body: { api: 'down', spool: { items: 1 }, dropped_recordings: 0 },
    });
    api.mood = 'up';
    await until(async () => (await ready()).body['api'] === 'up', 10_000);
  });

  it('refuses our key, recordings wait', async () => {
    await startWith();
    api.mood = { status: 401 };
    await call();
    await until(() => api.requests > 0);
    expect(await metric('spandrel_gateway_spool_items')).toBe(1);
  });
});

describe('the spool', () => {
  it('keeps to its bounds, drops the newest and counts truly', async () => {
    await startWith({ spoolItems: 10 });
    api.mood = 'unavailable';
    for (let i = 0; i < 25; i++) await call(`call ${i}`);
    await until(async () => (await metric('spandrel_gateway_dropped_recordings_total')) === 15);
    expect(await metric('spandrel_gateway_spool_items')).toBe(10);
    api.mood = 'up';
    const spans = await recorded(api, 10, 10_000);
    expect(spans.map(({ input }) => (input as { content: string }[])[0]!.content)).toEqual(
      Array.from({ length: 10 }, (_, i) => `call ${i}`),
    );
  });

  it('gets a poisonous recording out of the way of the others', async () => {
    await startWith({ flushMs: 100 });
    api.reject = ({ input }) =>
      JSON.stringify(input ?? '').includes('poison') ? { code: 'validation_failed', message: 'no' } : undefined;
    await Promise.all(['a', 'poison', 'b'].map((content) => call(content)));
    const spans = await recorded(api, 3);
    expect(spans.filter(({ metadata }) => metadata['truncated'])).toMatchObject([
      { name: 'gpt-4o', status: 'completed' },
    ]);
    expect(spans.find(({ metadata }) => metadata['truncated'])).not.toHaveProperty('input');
  });

  it('cuts a recording down that is over the API’s limit, and splits what is too large together', async () => {
    await startWith({ flushMs: 100 });
    api.bodyBytesMax = 100_000;
    await Promise.all([call('x'.repeat(40_000)), call('y'.repeat(40_000)), call('z'.repeat(200_000))]);
    const spans = await recorded(api, 3);
    const length = ({ input }: (typeof spans)[number]): number => (input as { content: string }[])[0]!.content.length;
    expect(spans.map(length).sort((a, b) => a - b)).toEqual([16_384, 40_000, 40_000]);
    expect(spans.filter(({ metadata }) => metadata['truncated'])).toHaveLength(1);
  });

  it('does not bring back a trace that was deleted while the call ran', async () => {
    await startWith({ reportRunningMs: 20 });
    const done = call('Hi', { 'x-fake': 'held' });
    await until(async () => api.announced.size === 1 && (await metric('spandrel_gateway_spool_items')) === 0);
    api.traces.clear();
    api.spans.clear();
    upstream.release();
    await done;
    await until(async () => (await metric('spandrel_gateway_dropped_recordings_total')) === 1);
    expect(api.spans.size).toBe(0);
  });

  it('is handed over at the stop', async () => {
    await startWith({ flushMs: 5_000 });
    await call();
    await gateway.close();
    expect(finished(api)).toHaveLength(1);
  });
});
