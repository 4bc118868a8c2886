/** SIGTERM while work is under way: what is in flight ends, what was acknowledged stays, the exit code is 0. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Place, Program } from '../support/places.ts';
import { holdSockets } from '../support/raw-http.ts';
import { repetitions } from '../support/repetitions.ts';
import { until } from '../support/spandrel.ts';
import { keptAt } from './kept.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

const STOPS = repetitions(5);
const WRITERS = 12;

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider?.close());

describeOnBothDatabases('SIGTERM', ({ takePlace }) => {
  let place: Place;
  /** On what the first test has left. */
  let server: Program;
  beforeAll(async () => {
    place = await takePlace();
  });
  afterAll(() => place?.close());

  it('lets calls through the gateway end, their recordings arrive, and clients that never finish a request have 10 s', async () => {
    provider.requests.length = 0;
    const spandrel = await place.start({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
    const held = await Promise.all(
      [spandrel.apiUrl, spandrel.gatewayUrl].flatMap((url) =>
        [HALF_A_HEAD, halfABody(place), ''].map((first) => holdSockets(url, 3, first)),
      ),
    );
    const calls = [
      ...Array.from({ length: 20 }, (_, n) => chat(place, spandrel, `whole ${n}`, 'slow:700')),
      ...Array.from({ length: 20 }, (_, n) => chat(place, spandrel, `streamed ${n} a b c d e f`, 'slow-stream:60')),
    ];
    await until(() => provider.requests.length === calls.length);
    const stopped = spandrel.stop('SIGTERM');
    expect(await Promise.all(calls)).toEqual(calls.map(() => true));
    expect(await stopped).toBe(0);
    for (const sockets of held) sockets.close();

    expect((await keptAt(place)).faults).toEqual([]);
    server = await place.start({ command: 'server' });
    const spans = await server.api.spans();
    expect(spans.map(({ status }) => status)).toEqual(calls.map(() => 'completed'));
    expect(new Set(spans.map(({ input }) => JSON.stringify(input))).size).toBe(calls.length);
  });

  it(`under write load ends with 0 and loses nothing, in ${STOPS} of ${STOPS} stops`, async () => {
    const created: string[] = [];
    const finished: string[] = [];
    let serial = 0;
    for (let stop = 0; stop < STOPS; stop++) {
      if (stop > 0) server = await place.start({ command: 'server' });
      const { api } = server;
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
      await until(() => finished.length > before + 100 * (stop + 1), 30_000);
      expect(await server.stop('SIGTERM')).toBe(0);
      await Promise.all(writers);
      const { faults, spans } = await keptAt(place);
      expect(faults).toEqual([]);
      expect(created.filter((id) => !spans.has(id))).toEqual([]);
      expect(finished.filter((id) => spans.get(id) !== 1)).toEqual([]);
    }
  });
});

const HALF_A_HEAD = 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n';
/** Half a request of a caller who is let in. */
const halfABody = ({ headers, gatewayHeaders }: Place): string => {
  const fields = Object.entries({
    host: 'localhost',
    'content-type': 'application/json',
    'content-length': '100',
    ...headers,
    ...gatewayHeaders,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /api/traces HTTP/1.1\r\n${fields.join('')}\r\n{"name":`;
};

/** @returns true when the client got exactly what the provider sent, to its end. */
async function chat(place: Place, spandrel: Program, content: string, scenario: string): Promise<boolean> {
  const answer = await fetch(`${spandrel.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-fake': scenario, ...place.gatewayHeaders },
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
  expect(String(error)).toMatch(/^Error: no answer: /);
}
