/** Cloud mode: a gateway that is asked to stop lets balancers and clients know before it refuses anything. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CassetteSettings } from '../../apps/gateway/src/cassette/cassette.settings.ts';
import { GatewayUserSettings } from '../../apps/gateway/src/gateway.settings.js';
import { createLogger, Lifecycle, LifeLog, loadSettings, ProgramStatus } from '@spandrel/kernel';
import { startGateway } from '../../apps/gateway/src/start-gateway.js';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { credentialOf, recorded, startFakeApi, type FakeApi } from './support/fake-api.js';

const KEY = 'spn_sk_alice-0123456789';
const DELAY_MS = 2_000;
const NO_OUTPUT = { err: { bulk: { write: () => undefined } }, droppedLines: 0 };

let upstream: FakeProvider;
let api: FakeApi;
let url: string;
let lifecycle: Lifecycle;

beforeEach(async () => {
  upstream = await startFakeProvider();
  api = await startFakeApi();
  api.keys = new Map([[KEY, credentialOf({})]]);
  const env = {
    SPANDREL_HOST: '127.0.0.1',
    SPANDREL_API_URL: api.url,
    SPANDREL_OPENAI_BASE_URL: upstream.url,
    SPANDREL_ACCESS_LOG: 'false',
  };
  const args = ['--mode', 'cloud', '--gateway-port', '0'];
  const settings = loadSettings([GatewayUserSettings, CassetteSettings], { args, env, cwd: process.cwd() });
  settings.core.shutdownDelayMs = DELAY_MS;
  const logger = createLogger('silent', 'gateway-test');
  lifecycle = new Lifecycle(logger, 5_000);
  const { port } = await startGateway({
    settings,
    logger,
    life: new LifeLog(logger, 'cloud'),
    output: NO_OUTPUT,
    lifecycle,
    status: new ProgramStatus(),
  });
  url = `http://127.0.0.1:${port}`;
});
afterEach(async () => {
  await lifecycle.stop();
  await api.close();
  await upstream.close();
});

const get = async (path: string): Promise<{ status: number; connection: string | null }> => {
  const answer = await fetch(url + path);
  await answer.text();
  return { status: answer.status, connection: answer.headers.get('connection') };
};
async function call(stream: boolean): Promise<{ status: number; connection: string | null }> {
  const body = JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'Hi' }] });
  const headers = { 'x-spandrel-key': KEY };
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
  await answer.text();
  return { status: answer.status, connection: answer.headers.get('connection') };
}

describe('a gateway that is asked to stop', () => {
  it('says so, serves for the delay, each answer the last of its connection, and ends then', async () => {
    expect((await call(false)).connection).not.toBe('close');
    expect((await get('/readyz')).status).toBe(200);
    const began = performance.now();
    let ended = false;
    const stopped = lifecycle.stop().finally(() => (ended = true));
    expect(await get('/readyz')).toEqual({ status: 503, connection: 'close' });
    expect(await get('/livez')).toEqual({ status: 200, connection: 'close' });
    expect(await call(false)).toEqual({ status: 200, connection: 'close' });
    expect(await call(true)).toEqual({ status: 200, connection: 'close' });
    expect(ended).toBe(false);
    expect(await stopped).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(DELAY_MS * 0.95);
    await expect(get('/livez')).rejects.toThrow();
    expect(await recorded(api, 3)).toHaveLength(3);
  });
});
