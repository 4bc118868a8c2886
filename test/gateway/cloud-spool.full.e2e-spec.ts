/** Cloud mode: recordings wait for the API by caller, in memory and on disk, and none is delivered for another. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessLog } from '@spandrel/http';
import { createLogger } from '@spandrel/kernel';
import type { GatewayLine } from '../../apps/gateway/src/request-log.js';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { tempDir } from '../support/spandrel.js';
import { credentialOf, finished, recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { keptCalls, spoolText } from './support/spool-files.ts';
import { startGateway, type StartedGateway } from './support/start.js';

/** Between calls of one that calls all the while: far more often than recordings are delivered. */
const PAUSE_MS = 20;
const ALICE = 'spn_sk_alice-0123456789';
const BOB = 'spn_sk_bob-0123456789';
const OWN = 'spn_sk_own-0123456789';

let upstream: FakeProvider;
let api: FakeApi;
let gateway: StartedGateway;
/** Everything that was logged, requests too. */
let log: string;

beforeEach(async () => {
  log = '';
  upstream = await startFakeProvider();
  api = await startFakeApi();
  api.keys = new Map([ALICE, BOB, OWN].map((key) => [key, credentialOf({})]));
});
afterEach(async () => {
  api.mood = 'up';
  api.hanging.clear();
  api.limited.clear();
  await gateway.close();
  await api.close();
  await upstream.close();
  expect(log).toContain('"msg":"request"');
  for (const key of [ALICE, BOB, OWN]) expect(log).not.toContain(key.slice(7));
});

const start = async (settings: Parameters<typeof startGateway>[1] = {}): Promise<void> => {
  const cloud = { mode: 'cloud' as const, apiUrl: api.url, apiKey: OWN, deliverMs: 300, shutdownMs: 600 };
  const destination = { write: (line: string) => (log += line) };
  const logger = createLogger('trace', 'gateway', destination);
  const accessLog = new AccessLog<GatewayLine>('trace', 'gateway', destination);
  gateway = await startGateway(upstream.url, { ...cloud, ...settings }, { logger, accessLog });
};

async function call(key: string, content = 'Hi'): Promise<void> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-spandrel-key': key },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  });
  await answer.text();
  expect(answer.status).toBe(200);
}
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
};
const waiting = (): Promise<number> => metric('spandrel_gateway_spool_items');
const keysOf = (): (string | null | undefined)[] => finished(api).map(({ id }) => api.keyOf.get(id));

describe('recordings of one caller', () => {
  it('whose key is revoked before they are delivered are lost and counted, others arrive', async () => {
    await start({ flushMs: 50 });
    await Promise.all([call(ALICE), call(BOB)]);
    await recorded(api, 2);
    api.mood = 'unavailable';
    await Promise.all([call(ALICE), call(ALICE), call(BOB)]);
    api.keys!.delete(ALICE);
    api.mood = 'up';
    await until(async () => (await waiting()) === 0);
    expect(keysOf().filter((key) => key === BOB)).toHaveLength(2);
    expect(keysOf().filter((key) => key === ALICE)).toHaveLength(1);
    expect(await metric('spandrel_gateway_dropped_recordings_total{reason="unauthorized"}')).toBe(2);
    // The refusal has made the gateway ask about the key before its minute was over.
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { 'x-spandrel-key': ALICE } });
    expect(answer.status).toBe(401);
  });

  it('whose organization has no requests left wait as long as it says, others do not', async () => {
    await start();
    await Promise.all([call(ALICE), call(BOB)]);
    await recorded(api, 2);
    api.limited.set(ALICE, 1);
    const refusedAt = performance.now();
    await Promise.all([call(ALICE), call(ALICE)]);
    await until(() => api.requests >= 5);
    for (let i = 0; i < 5; i++) await call(BOB);
    await until(() => keysOf().filter((key) => key === BOB).length === 6);
    api.limited.clear();
    await recorded(api, 9);
    expect(api.deliveries.filter(({ key }) => key === ALICE).at(-1)!.at - refusedAt).toBeGreaterThan(950);
    expect(await metric('spandrel_gateway_dropped_recordings_total{reason="spool_full"}')).toBe(0);
  });

  it('that the API does not answer hold up no others', async () => {
    await start({ deliverMs: 600_000 });
    await Promise.all([call(ALICE), call(BOB)]);
    await recorded(api, 2);
    api.hanging.add(ALICE);
    for (let i = 0; i < 4; i++) await call(ALICE);
    await call(BOB);
    await until(() => keysOf().filter((key) => key === BOB).length === 2);
  });

  it('are delivered a few times a second, however many there are', async () => {
    await start({ flushMs: 200 });
    const began = performance.now();
    let calls = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (; performance.now() - began < 1_500; calls++) {
          await call(ALICE);
          await pause(PAUSE_MS);
        }
      }),
    );
    await recorded(api, calls);
    const seconds = (performance.now() - began) / 1_000;
    const rate = api.deliveries.length / seconds;
    if (process.env['SPANDREL_TEST_FIGURES']) {
      process.stderr.write(`${Math.round(calls / seconds)} calls/s in ${rate.toFixed(1)} deliveries/s\n`);
    }
    expect(rate).toBeLessThan(10);
    expect(api.checks).toEqual([ALICE]);
  });
});

describe('the spool directory', () => {
  /** Three calls that the API does not get before the gateway stops. */
  async function leaveBehind(spoolDir: string): Promise<void> {
    await start({ spoolDir });
    await Promise.all([call(ALICE), call(BOB)]);
    await recorded(api, 2);
    api.mood = 'unavailable';
    await call(ALICE, `mine is ${ALICE}`);
    await call(BOB);
    await call(BOB);
    await gateway.close();
    api.mood = 'up';
  }

  it('keeps whose a recording is over a restart, and no key that can be read', async () => {
    const spoolDir = tempDir();
    await leaveBehind(spoolDir);
    const kept = spoolText(spoolDir);
    expect(keptCalls(spoolDir)).toHaveLength(3);
    expect(kept).toContain('mine is');
    for (const key of [ALICE, BOB, OWN]) {
      for (const spelling of [key, key.slice(7), Buffer.from(key).toString('base64url').slice(0, 20)]) {
        expect(kept).not.toContain(spelling);
      }
    }
    await start({ spoolDir });
    await recorded(api, 5);
    expect(keysOf().toSorted()).toEqual([ALICE, ALICE, BOB, BOB, BOB]);
    await until(() => keptCalls(spoolDir).length === 0);
  });

  it('keeps recordings under another credential of the gateway until their caller is back', async () => {
    const spoolDir = tempDir();
    await leaveBehind(spoolDir);
    await start({ spoolDir, apiKey: 'spn_sk_new-0123456789' });
    expect(await waiting()).toBe(3);
    await call(ALICE);
    await recorded(api, 4);
    await until(async () => (await waiting()) === 2);
    expect(keysOf().toSorted()).toEqual([ALICE, ALICE, ALICE, BOB]);
    await gateway.close();
    await start({ spoolDir });
    await recorded(api, 6);
    expect(keysOf().filter((key) => key === BOB)).toHaveLength(3);
  });

  it('needs a credential of the gateway', async () => {
    await start();
    await call(ALICE);
    const refused = startGateway(upstream.url, { mode: 'cloud', spoolDir: tempDir() });
    await expect(refused).rejects.toThrow(/SPANDREL_API_KEY/);
  });
});
