/** The built gateway of cloud mode before an API that is reached by https, with a certificate that only NODE_EXTRA_CA_CERTS names. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.js';
import { freePort } from '../support/ports.ts';
import { COMPILE_CACHE } from '../support/spandrel.ts';
import { credentialOf, recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';

const KEY = 'spn_sk_alice-0123456789';
const fixture = (name: string): string => resolve('apps/gateway/src/upstream/fixtures', name);
const AUTHORITY = fixture('localhost.cert.pem');

let api: FakeApi;
let upstream: FakeProvider;
let tls: Server;
let gateway: ChildProcess | undefined;

beforeEach(async () => {
  api = await startFakeApi();
  api.keys = new Map([[KEY, credentialOf({})]]);
  upstream = await startFakeProvider();
  // TLS ends before the API, as at an ingress.
  tls = createServer({ cert: readFileSync(AUTHORITY), key: readFileSync(fixture('localhost.key.pem')) }, (socket) => {
    const inner = connect(api.port, '127.0.0.1');
    for (const end of [socket, inner]) end.on('error', () => [socket, inner].forEach((each) => each.destroy()));
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((listening) => tls.listen(0, '127.0.0.1', listening));
});
afterEach(async () => {
  if (gateway?.exitCode === null) {
    const gone = once(gateway, 'exit');
    gateway.kill('SIGKILL');
    await gone;
  }
  gateway = undefined;
  tls.close();
  await api.close();
  await upstream.close();
});

async function start(extra: Record<string, string>): Promise<{ url: string; log: () => string }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['dist/apps/gateway/src/main.js', '--gateway-port', String(port)], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      SPANDREL_MODE: 'cloud',
      SPANDREL_API_URL: `https://localhost:${(tls.address() as AddressInfo).port}`,
      SPANDREL_OPENAI_BASE_URL: `${upstream.url}/v1`,
      ...extra,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  gateway = child;
  let log = '';
  child.stderr.on('data', (data) => (log += String(data)));
  const url = `http://127.0.0.1:${port}`;
  const isLive = (): Promise<boolean> =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(
    async () => child.exitCode !== null || (await isLive()),
    10_000,
    () => log,
  );
  return { url, log: () => log };
}

async function call(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-spandrel-key': KEY, authorization: 'Bearer sk-upstream', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'by https' }] }),
  });
  await answer.text();
  return answer.status;
}

it('records calls at an API whose authority NODE_EXTRA_CA_CERTS names', async () => {
  const { url, log } = await start({ NODE_EXTRA_CA_CERTS: AUTHORITY });
  expect([await call(url), log()]).toEqual([200, expect.not.stringContaining('NODE_EXTRA_CA_CERTS')]);
  expect(await recorded(api)).toMatchObject([{ status: 'completed', input: [{ content: 'by https' }] }]);
  expect(api.keyOf.values().next().value).toBe(KEY);
});

it('names the setting in its log where it does not know the authority, and sends that API nothing', async () => {
  const { url, log } = await start({});
  expect(await call(url)).toBe(503);
  await until(() => log().includes('NODE_EXTRA_CA_CERTS'), 5_000, log);
  expect(log()).toContain('the certificate at gateway.api_url is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT)');
  expect(log()).not.toContain(KEY);
  expect([api.checks, api.requests]).toEqual([[], 0]);
});
