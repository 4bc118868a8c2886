/** An upstream that closes idle connections at any moment: no call fails for it, and none is executed twice. */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { random } from '../support/random.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { startClosingUpstream, type ClosingUpstream } from './support/closing-upstream.ts';
import { recorded, startFakeApi, type FakeApi } from './support/fake-api.js';
import { startGateway, type StartedGateway } from './support/start.js';

const CALLS = { http: THOROUGH ? 100_000 : 1_000, https: THOROUGH ? 10_000 : 250 };
const PARALLEL = 24;
const fixture = (name: string): string =>
  readFileSync(`apps/gateway/src/upstream/fixtures/localhost.${name}.pem`, 'utf8');

let api: FakeApi;
let gateway: StartedGateway;
let agent: http.Agent;

beforeEach(async () => {
  api = await startFakeApi();
  agent = new http.Agent({ keepAlive: true });
});
afterEach(async () => {
  agent.destroy();
  await gateway.close();
  await api.close();
});

/** What a client of the gateway sees of one call. */
interface Seen {
  status: number;
  body: string;
}

/** @param pieces of the body, sent one after the other; @param length `undefined`: in chunks. */
function call(method: string, id: string, pieces: Buffer[], length: number | undefined): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-call': id, ...(length !== undefined && { 'content-length': length }) };
    const path = method === 'POST' ? '/v1/chat/completions' : '/v1/models';
    const req = http.request(`${gateway.url}${path}`, { method, agent, headers }, (res) => {
      let body = '';
      res.setEncoding('utf8').on('data', (text: string) => (body += text));
      res.on('end', () => resolve({ status: res.statusCode!, body }));
      res.on('error', reject);
    });
    req.on('error', reject);
    pieces.forEach((piece) => req.write(piece));
    req.end();
  });
}

const SMALL = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }));
const LARGE = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(100_000) }] }));

/** A call of a random kind: POST with a small body, a large one, one in chunks, and GET. */
function anyCall(kind: number, id: string): Promise<Seen> {
  if (kind < 6) return call('POST', id, [SMALL], SMALL.length);
  if (kind === 6) return call('POST', id, [LARGE.subarray(0, 70_000), LARGE.subarray(70_000)], LARGE.length);
  if (kind === 7) return call('POST', id, [SMALL.subarray(0, 10), SMALL.subarray(10)], undefined);
  return call('GET', id, [], undefined);
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)![1]);
}

describe.each(['http', 'https'] as const)(
  'an upstream over %s that closes idle connections at random moments',
  (scheme) => {
    const seed = 20_261_122;
    const calls = CALLS[scheme];
    let upstream: ClosingUpstream;

    afterEach(() => upstream.close());

    it(`fails none of ${calls} calls and executes each once (seed ${seed})`, async () => {
      const secure = scheme === 'https' ? { key: fixture('key'), cert: fixture('cert') } : undefined;
      upstream = await startClosingUpstream(random(seed), secure);
      const settings = { apiUrl: api.url, capture: { mode: 'off' } } as const;
      gateway = await startGateway(upstream.url, settings, { ca: fixture('cert') });
      const pick = random(seed + 1);
      const failed: [string, Seen][] = [];
      let next = 0;
      let posts = 0;
      const loop = async (): Promise<void> => {
        while (next < calls) {
          const id = String(next++);
          const kind = pick(10);
          if (kind < 8) posts++;
          const seen = await anyCall(kind, id);
          if (seen.status !== 200) failed.push([id, seen]);
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, loop));
      expect(failed).toEqual([]);
      const notOnce = [...upstream.executed].filter(([, times]) => times !== 1);
      expect([upstream.executed.size, notOnce]).toEqual([calls, []]);
      // The race was there: connections were closed, and requests met them.
      const resends = await metric('spandrel_gateway_upstream_resends_total');
      expect(upstream.closed).toBeGreaterThan(calls / 20);
      expect(resends).toBeGreaterThan(0);
      await recorded(api, posts, 60_000);
      expect([...api.finishes.values()].filter((times) => times !== 1)).toEqual([]);
      if (process.env['SPANDREL_TEST_FIGURES'] === '1') {
        process.stderr.write(
          `${scheme}: ${calls} calls, ${upstream.closed} idle connections closed, ${resends} resends\n`,
        );
      }
    }, 600_000);
  },
);

describe('an upstream that has read a call and dies', () => {
  it('is not asked again: the caller hears 502', async () => {
    let executed = 0;
    const answered = new WeakSet<object>();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => {
        executed++;
        // What has been read whole is closed with FIN, as a system does for a process that was killed.
        if (answered.has(socket)) socket.destroy();
        else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
        answered.add(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      gateway = await startGateway(url, { apiUrl: api.url });
      const statuses: number[] = [];
      for (const id of ['a', 'b']) statuses.push((await call('POST', id, [SMALL], SMALL.length)).status);
      expect([statuses, executed]).toEqual([[200, 502], 2]);
      expect(await metric('spandrel_gateway_upstream_resends_total')).toBe(0);
    } finally {
      server.close();
    }
  });
});
