/** Clients that users have: curl, and a browser's own EventSource. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findChromium } from '../dashboard/find-chromium.ts';
import { launchChromium } from '../dashboard/launch-chromium.ts';
import type { Place, Program } from '../support/places.ts';
import { describeWith } from '../support/redis.ts';
import { until } from '../support/spandrel.ts';
import { range } from './event-client.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

const CHROMIUM = findChromium();

let browser: Browser | undefined;
beforeAll(async () => {
  if (CHROMIUM !== undefined) browser = await launchChromium(CHROMIUM);
});
afterAll(() => browser?.close());

describeOnBothDatabases('the event stream of a server', ({ takePlace }) => {
  let place: Place | undefined;
  let server: Program;
  beforeAll(async () => {
    place = await takePlace();
    server = await place.start({ command: 'server' });
  });
  afterAll(() => place?.close());

  async function traces(from: number, to: number): Promise<void> {
    for (const n of range(from, to)) expect((await server.api.post('/api/traces', { name: `t${n}` })).status).toBe(201);
  }

  describeWith('chromium', "and a browser's EventSource", () => {
    it('survives a restart of the server and resumes by itself, without gap or duplicate', async () => {
      const page = await browser!.newPage();
      await page.goto(`${server.apiUrl}/livez`);
      // It can send no header.
      const url = place!.key === undefined ? '/api/events' : `/api/events?token=${place!.key}`;
      await page.evaluate(`
        window.seen = [];
        window.opened = 0;
        const source = new EventSource('${url}');
        source.onopen = () => window.opened++;
        source.onmessage = ({ lastEventId, data }) =>
          window.seen.push({ id: Number(lastEventId), name: JSON.parse(data).trace.name });
      `);
      const seen = (): Promise<{ id: number; name: string }[]> => page.evaluate('window.seen');
      const opened = (): Promise<number> => page.evaluate('window.opened');
      await until(async () => (await opened()) === 1);
      await traces(1, 5);
      await until(async () => (await seen()).length === 5);
      // To the browser a server is gone the same way whatever its database: one end of each kind.
      const signal = place!.mode === 'local' ? 'SIGTERM' : 'SIGKILL';
      expect(await server.stop(signal)).toBe(signal === 'SIGTERM' ? 0 : null);
      server = await place!.start({ command: 'server' });
      // Some before the browser is back, some after.
      await traces(6, 8);
      await until(async () => (await opened()) === 2, 15_000);
      await traces(9, 10);
      await until(async () => (await seen()).length === 10);
      await sleep(200);
      expect(await seen()).toEqual(range(1, 10).map((n) => ({ id: n, name: `t${n}` })));
      await page.close();
    });
  });

  describeWith('curl', 'and curl -N', () => {
    it('gets the stream, is cut, and resumes with Last-Event-ID', async () => {
      const headers = Object.entries(place!.headers).flatMap((header) => ['-H', header.join(': ')]);
      const curl = (...args: string[]) => {
        const child = spawn('curl', ['-sN', ...headers, ...args, `${server.apiUrl}/api/events`]);
        child.unref();
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
      await traces(1, 3);
      await until(() => first.ids().length === 3);
      first.child.kill('SIGKILL');
      await first.ended;
      await traces(4, 6);
      const second = curl('-H', `Last-Event-ID: ${first.ids().at(-1)}`);
      await until(() => second.ids().length === 3);
      await traces(7, 7);
      await until(() => second.ids().length === 4);
      const ids = [...first.ids(), ...second.ids()];
      expect(ids).toEqual(range(ids[0]!, ids[0]! + 6));
      expect(await server.stop()).toBe(0);
      // The end of the connection is the end of the body: no error for curl.
      expect(await second.ended).toBe(0);
    });
  });
});
