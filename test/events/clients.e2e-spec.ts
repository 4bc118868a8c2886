/** Clients that users have: curl, and a browser's own EventSource. */
import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';
import { Api } from '../support/api.ts';
import { describeWith } from '../support/redis.ts';
import { startSpandrel, until, type Spandrel } from '../support/spandrel.ts';
import { range } from './event-client.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function start(place: { dataDir?: string; port?: number } = {}): Promise<Spandrel> {
  const server = await startSpandrel({ command: 'server', ...place });
  cleanUps.push(() => server.stop('SIGKILL'));
  return server;
}

const again = ({ dataDir, apiUrl }: Spandrel): Promise<Spandrel> =>
  start({ dataDir, port: Number(new URL(apiUrl).port) });

async function traces(server: Spandrel, from: number, to: number): Promise<void> {
  const api = new Api(server.apiUrl);
  for (const n of range(from, to)) expect((await api.post('/api/traces', { name: `t${n}` })).status).toBe(201);
}

describeWith('curl', 'curl -N', () => {
  it('gets the stream, is cut, and resumes with Last-Event-ID', async () => {
    const server = await start();
    const curl = (...args: string[]) => {
      const child = spawn('curl', ['-sN', ...args, `${server.apiUrl}/api/events`]);
      cleanUps.push(() => child.kill('SIGKILL'));
      const ended = new Promise<number | null>((done) => child.on('close', done));
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      return {
        child,
        ended,
        ids: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
        text: () => text,
      };
    };
    const first = curl();
    await until(() => first.text().startsWith('retry: 2000'));
    await traces(server, 1, 3);
    await until(() => first.ids().length === 3);
    first.child.kill('SIGKILL');
    await first.ended;
    await traces(server, 4, 6);
    const second = curl('-H', `Last-Event-ID: ${first.ids().at(-1)}`);
    await until(() => second.ids().length === 3);
    await traces(server, 7, 7);
    await until(() => second.ids().length === 4);
    expect([...first.ids(), ...second.ids()]).toEqual(range(1, 7));
    expect(await server.stop()).toBe(0);
    // The end of the connection is the end of the body: no error for curl.
    expect(await second.ended).toBe(0);
  }, 40_000);
});

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync('which', [name]).status === 0,
);

describeWith(CHROMIUM ?? 'chromium', "a browser's EventSource", () => {
  it('survives restarts of the server and resumes by itself, without gap or duplicate', async () => {
    let server = await start();
    const executablePath = spawnSync('which', [CHROMIUM ?? 'chromium'], { encoding: 'utf8' }).stdout.trim();
    const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    cleanUps.push(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`${server.apiUrl}/api/health`);
    await page.evaluate(`
      window.seen = [];
      window.opened = 0;
      const source = new EventSource('/api/events');
      source.onopen = () => window.opened++;
      source.onmessage = ({ lastEventId, data }) =>
        window.seen.push({ id: Number(lastEventId), name: JSON.parse(data).trace.name });
    `);
    const seen = (): Promise<{ id: number; name: string }[]> => page.evaluate('window.seen');
    const opened = (): Promise<number> => page.evaluate('window.opened');
    await until(async () => (await opened()) === 1);
    await traces(server, 1, 5);
    await until(async () => (await seen()).length === 5);
    for (const round of [1, 2]) {
      expect(await server.stop(round === 1 ? 'SIGTERM' : 'SIGKILL')).toBe(round === 1 ? 0 : null);
      server = await again(server);
      // Some before the browser is back, some after.
      await traces(server, round * 5 + 1, round * 5 + 3);
      await until(async () => (await opened()) === round + 1, 15_000);
      await traces(server, round * 5 + 4, round * 5 + 5);
      await until(async () => (await seen()).length === round * 5 + 5);
    }
    await sleep(200);
    expect(await seen()).toEqual(range(1, 15).map((n) => ({ id: n, name: `t${n}` })));
  }, 90_000);
});
