/** SIGTERM while work is under way: what is in flight ends, what was acknowledged stays, the exit code is 0. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { holdSockets } from '../support/raw-http.ts';
import { recount } from '../support/recount.ts';
import { freePort } from '../support/ports.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';

const STOPS = 4;
const WRITERS = 12;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
const start = async (options: Parameters<typeof startSpandrel>[0]): Promise<Spandrel> => {
  const spandrel = await startSpandrel(options);
  cleanUps.push(() => spandrel.stop('SIGKILL'));
  return spandrel;
};

describe('SIGTERM', () => {
  it(`under write load ends with 0 and loses nothing, ${STOPS} times`, async () => {
    const place = { port: await freePort(), dataDir: tempDir() };
    const created: string[] = [];
    const finished: string[] = [];
    let serial = 0;
    for (let stop = 0; stop < STOPS; stop++) {
      const server = await start({ command: 'server', ...place });
      const api = new Api(server.apiUrl);
      const trace = `t${stop}`;
      await api.post('/api/traces', { id: trace });
      const before = finished.length;
      const write = async (): Promise<void> => {
        for (;;) {
          const id = `s${serial++}`;
          const create = await api.post('/api/spans', { id, trace_id: trace, name: 'n', input: 'x'.repeat(2_000) });
          if (create.status !== 201) return expect(create.status).toBe(503);
          created.push(id);
          const complete = await api.post(`/api/spans/${id}/complete`, {});
          if (complete.status !== 200) return expect(complete.status).toBe(503);
          finished.push(id);
        }
      };
      const writers = Array.from({ length: WRITERS }, () => write().catch(connectionError));
      await until(() => finished.length > before + 100 * (stop + 1));
      expect(await server.stop('SIGTERM')).toBe(0);
      await Promise.all(writers);
      const kept = recount(place.dataDir);
      expect(kept).toMatchObject({ integrity: 'ok', wrongRollUps: [], halves: 0 });
      expect(created.filter((id) => !kept.spans.has(id))).toEqual([]);
      expect(finished.filter((id) => kept.spans.get(id) !== 1)).toEqual([]);
    }
  });

  it('lets calls through the gateway end, and their recordings arrive', async () => {
    const provider = await startFakeProvider();
    cleanUps.push(() => provider.close());
    const spandrel = await start({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
    const calls = [
      ...Array.from({ length: 20 }, (_, n) => chat(spandrel, provider, `whole ${n}`, 'slow:700')),
      ...Array.from({ length: 20 }, (_, n) => chat(spandrel, provider, `streamed ${n} a b c d e f`, 'slow-stream:60')),
    ];
    await until(() => provider.requests.length === calls.length);
    const stopped = spandrel.stop('SIGTERM');
    expect(await Promise.all(calls)).toEqual(calls.map(() => true));
    expect(await stopped).toBe(0);

    const server = await start({ command: 'server', dataDir: spandrel.dataDir });
    const spans = await new Api(server.apiUrl).spans();
    expect(spans.map(({ status }) => status)).toEqual(calls.map(() => 'completed'));
    expect(new Set(spans.map(({ input }) => JSON.stringify(input))).size).toBe(calls.length);
  });

  it('does not wait longer than 10 s for clients that never finish their request, and still ends with 0', async () => {
    const spandrel = await start({});
    await new Api(spandrel.apiUrl).post('/api/traces', { id: 'kept' });
    for (const url of [spandrel.apiUrl, spandrel.gatewayUrl]) {
      for (const first of [HALF_A_HEAD, HALF_A_BODY, '']) {
        const held = await holdSockets(url, 3, first);
        cleanUps.push(() => held.close());
      }
    }
    await fetch(`${spandrel.gatewayUrl}/livez`);
    const started = Date.now();
    expect(await spandrel.stop('SIGTERM')).toBe(0);
    expect(Date.now() - started).toBeLessThan(11_000);
    expect(recount(spandrel.dataDir)).toMatchObject({ integrity: 'ok', traceIds: new Set(['kept']) });
  });
});

const HALF_A_HEAD = 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n';
const HALF_A_BODY =
  'POST /api/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":';

/** @returns true when the client got exactly what the provider sent, to its end. */
async function chat(spandrel: Spandrel, provider: FakeProvider, content: string, scenario: string): Promise<boolean> {
  const answer = await fetch(`${spandrel.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-fake': scenario },
    body: JSON.stringify({
      model: 'gpt-4o',
      stream: scenario.startsWith('slow-stream'),
      messages: [{ role: 'user', content }],
    }),
  });
  const text = await answer.text();
  return provider.requests.some(({ answer: sent }) => sent.complete && sent.body.toString() === text);
}

/** The end of its connection ends a writer; all other errors fail the test. */
function connectionError(error: unknown): void {
  expect(String(error)).toBe('TypeError: fetch failed');
}
