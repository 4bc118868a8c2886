/** kill -9 of the gateway: with a spool directory every call is recorded, once. Runs the built gateway. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/ports.ts';
import { COMPILE_CACHE } from '../support/spandrel.ts';
import { finished, recorded, startFakeApi, until, type FakeApi } from './support/fake-api.js';
import { keptCalls, spoolFiles, spoolText } from './support/spool-files.ts';

const KEY = 'sk-canary-9876543210';
let api: FakeApi;
let upstream: Server;
let upstreamUrl: string;
let folder: string;
let spool: string;
let running: ChildProcess | undefined;

const chunk = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'gpt-4o', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-kill-'));
  spool = join(folder, 'spool');
  api = await startFakeApi();
  upstream = createServer((req, res) => {
    req.resume().on('end', () => {
      if (req.headers['x-do'] === 'answer') {
        res.setHeader('content-type', 'application/json');
        res.end(
          JSON.stringify({
            model: 'gpt-4o',
            choices: [{ index: 0, message: { content: 'whole' }, finish_reason: 'stop' }],
          }),
        );
        return;
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(chunk('first '));
      setTimeout(() => res.write(chunk('second ')), 10);
      if (req.headers['x-do'] === 'mark') setTimeout(() => res.write(`${chunk('', 'stop')}data: [DONE]\n\n`), 20);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await api.close();
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(
  extra: Record<string, string> = {},
): Promise<{ url: string; child: ChildProcess; errors: () => string }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['dist/apps/gateway/src/main.js', '--gateway-port', String(port)], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      SPANDREL_API_URL: api.url,
      SPANDREL_OPENAI_BASE_URL: upstreamUrl,
      SPANDREL_SPOOL_DIR: spool,
      ...extra,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running = child;
  let errors = '';
  child.stderr!.on('data', (data) => (errors += String(data)));
  const url = `http://127.0.0.1:${port}`;
  await until(
    async () =>
      child.exitCode !== null ||
      (await fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      )),
    10_000,
    () => errors,
  );
  return { url, child, errors: () => errors };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

const ask = (url: string, what: string, content = 'Hi'): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'x-do': what, authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', stream: what !== 'answer', messages: [{ role: 'user', content }] }),
  });

/** Reads until a text has come, then leaves the stream open. */
async function readUntil(answer: Response, text: string): Promise<void> {
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let all = '';
  while (!all.includes(text)) all += decoder.decode((await reader.read()).value, { stream: true });
  reader.read().catch(() => undefined);
}

describe('kill -9 with a spool directory', () => {
  it('loses no call and doubles none: finished, in the middle, after its end mark', async () => {
    const first = await start();
    // It has heard once that no masking rule holds: before that it would keep no content on disk.
    api.mood = 'unavailable';
    for (let i = 0; i < 20; i++) await (await ask(first.url, 'answer', `call ${i} ${KEY}`)).text();
    await readUntil(await ask(first.url, 'stream', 'cut short'), 'second');
    await readUntil(await ask(first.url, 'mark', 'complete'), '[DONE]');
    await until(() => keptCalls(spool).length === 22);
    await kill(first.child);

    expect(keptCalls(spool)).toHaveLength(22);
    expect(statSync(spool).mode & 0o777).toBe(0o700);
    for (const file of spoolFiles(spool)) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(spoolText(spool)).not.toContain(KEY);

    api.mood = 'up';
    await start();
    const spans = await recorded(api, 22, 10_000);
    const by = (content: string) =>
      spans.filter(({ input }) => (input as { content: string }[])[0]!.content.startsWith(content));
    expect(spans).toHaveLength(22);
    expect(by('call')).toHaveLength(20);
    expect(by('call')[0]).toMatchObject({ status: 'completed', output: { text: 'whole', finish_reason: 'stop' } });
    // What had come of an answer that was under way is lost, whether its end mark had come or not.
    for (const content of ['cut short', 'complete']) {
      expect(by(content)).toMatchObject([{ name: 'gpt-4o', status: { failed: { error: 'gateway stopped' } } }]);
      expect(by(content)[0]).not.toHaveProperty('output');
    }
    await until(() => keptCalls(spool).length === 0);
    expect(api.bodies.join()).not.toContain(KEY);
  });

  it('again and again under load, each call that was answered is recorded once', async () => {
    const ANSWERED_A_ROUND = 20;
    const answered = new Set<string>();
    let serial = 0;
    for (let round = 0; round < 3; round++) {
      const { url, child } = await start();
      let going = true;
      const workers = Array.from({ length: 8 }, async () => {
        while (going) {
          const content = `call ${serial++}`;
          try {
            const answer = await ask(url, 'answer', content);
            await answer.text();
            answered.add(content);
          } catch {
            // The gateway was killed meanwhile.
          }
        }
      });
      await until(() => answered.size >= (round + 1) * ANSWERED_A_ROUND, 10_000);
      await kill(child);
      going = false;
      await Promise.all(workers);
    }
    await start();
    await until(() => keptCalls(spool).length === 0, 10_000);
    const contents = finished(api).map(({ input }) => (input as { content: string }[] | null)?.[0]?.content);
    for (const content of answered) expect(contents.filter((found) => found === content)).toHaveLength(1);
  });

  it('keeps calls that are over and wait for the rules of their project, without what was said', async () => {
    api.mood = 'unavailable';
    const { url, child } = await start();
    await (await ask(url, 'answer', 'private words')).text();
    await kill(child);
    expect(spoolText(spool)).not.toMatch(/private|whole/);
    api.mood = 'up';
    await start();
    const [span] = await recorded(api, 1, 10_000);
    expect(span).toMatchObject({ name: 'gpt-4o', status: 'completed' });
    expect(span).not.toHaveProperty('input');
  });

  it('keeps no content where the capture mode keeps none', async () => {
    const { url, child } = await start({ SPANDREL_CAPTURE: 'Off' });
    api.mood = 'unavailable';
    await readUntil(await ask(url, 'stream', 'private words'), 'second');
    await until(() => keptCalls(spool).length === 1);
    await kill(child);
    expect(spoolText(spool)).not.toMatch(/private|second/);
    api.mood = 'up';
    await start({ SPANDREL_CAPTURE: 'Off' });
    expect((await recorded(api, 1, 10_000))[0]).toMatchObject({
      name: 'gpt-4o',
      status: { failed: { error: 'gateway stopped' } },
    });
  });

  it('two gateways do not share a directory', async () => {
    await start();
    const first = running;
    const second = await start();
    expect(second.child.exitCode).toBe(1);
    expect(second.errors()).toMatch(/in use by another gateway/);
    first?.kill('SIGKILL');
  });
});
