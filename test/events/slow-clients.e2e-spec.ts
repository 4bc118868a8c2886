/** Clients that read slowly or not at all: they cost a bounded amount of memory and nobody else a thing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DomainEvents } from '@spandrel/events';
import { LOCAL_SCOPE, type Settings } from '@spandrel/kernel';
import { peakMiB, forgetPeak } from '../support/process-memory.ts';
import { holdSockets } from '../support/raw-http.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { startSpandrel, tempDir, until } from '../support/spandrel.ts';
import { Api } from '../support/api.ts';
import { EventClient, range } from './event-client.ts';
import { metric, openStreams } from './stream-basics.ts';

const LISTEN = 'GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n';

let server: ServerApp | undefined;
const clients: EventClient[] = [];

async function start(limits: Partial<Settings['events']>): Promise<ServerApp> {
  const config = { dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') } as const;
  server = await startServerApp(config, { settings: ({ events }) => void Object.assign(events, limits) });
  return server;
}

async function listen(query = ''): Promise<EventClient> {
  const client = await EventClient.open(server!.url, { query });
  clients.push(client);
  return client;
}

/** Emits events of `bytes` each, in transactions of their own. */
async function emit(count: number, bytes: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await server!.storage.write((tx) =>
      server!.app.get(DomainEvents).emit(tx, LOCAL_SCOPE, { type: 'span_deleted', span_id: 'x'.repeat(bytes) }),
    );
    await sleep(1);
  }
}

afterEach(async () => {
  clients.splice(0).forEach((client) => client.close());
  await server?.close();
  server = undefined;
});

const metricsText = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

describe('a client that reads slowly', () => {
  it('is sent from the log when it is too slow for live, and misses nothing', async () => {
    await start({ queuedBytes: 100_000, stalledMs: 30_000, behindMs: 30_000 });
    const quick = await listen();
    const slow = await listen();
    slow.pause();
    await emit(300, 100_000);
    await quick.has(300);
    expect(slow.events.length).toBeLessThan(300);
    slow.resume();
    await slow.has(300, 20_000);
    await emit(20, 10);
    await Promise.all([slow.has(320), quick.has(320)]);
    expect(slow.ids).toEqual(range(1, 320));
    expect(slow.events).toEqual(quick.events);
    expect(await metric(server!, 'spandrel_event_streams_cut_total')).toBe(0);
  }, 60_000);

  it('gets an event larger than what may wait', async () => {
    await start({ queuedBytes: 1, stalledMs: 5_000, behindMs: 5_000 });
    const client = await listen();
    await emit(3, 5_000_000);
    await client.has(3);
    expect(client.ids).toEqual([1, 2, 3]);
  });

  it('is disconnected when it takes nothing for too long', async () => {
    await start({ queuedBytes: 50_000, stalledMs: 1_000, behindMs: 60_000 });
    const slow = await listen();
    const quick = await listen();
    slow.pause();
    const began = Date.now();
    await emit(300, 100_000);
    await until(async () => (await openStreams(server!)) === 1, 15_000);
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_000);
    expect(await metric(server!, 'spandrel_event_streams_cut_total')).toBe(1);
    await quick.has(300);
    slow.resume();
    await slow.ended();
    // What it got is whole, and it can resume behind it.
    const last = slow.ids.at(-1) ?? 0;
    expect(slow.ids).toEqual(range(1, last));
    const resumed = await listen(`since=${last}`);
    await resumed.has(300 - last);
    expect(resumed.ids).toEqual(range(last + 1, 300));
  }, 60_000);

  it('is disconnected when it falls behind and does not catch up', async () => {
    await start({ queuedBytes: 50_000, stalledMs: 60_000, behindMs: 1_500 });
    const slow = await listen();
    slow.pause();
    await emit(300, 100_000);
    await until(async () => (await openStreams(server!)) === 0, 15_000);
    expect(await metricsText(server!.url)).toMatch(/^spandrel_event_streams_cut_total\{reason="behind"\} 1$/m);
  }, 60_000);

  it('is not disconnected for being silent while there is nothing to take', async () => {
    await start({ queuedBytes: 50_000, stalledMs: 1_000, behindMs: 1_000 });
    const client = await listen();
    await sleep(2_500);
    await emit(1, 10);
    await client.has(1);
  });

  it('may take its time for a replay', async () => {
    await start({ queuedBytes: 50_000, stalledMs: 2_000, behindMs: 1_000 });
    await emit(200, 100_000);
    const client = await listen('since=0');
    for (let n = 0; n < 25; n++) {
      client.pause();
      await sleep(100);
      client.resume();
      await sleep(10);
    }
    await client.has(200);
    expect(client.ids).toEqual(range(1, 200));
  }, 60_000);
});

describe('1,000 clients that never read', () => {
  it('cost a bounded amount of memory, are cut, and nobody else is slower for them', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'spandrel.yaml'), 'events: { stalled_seconds: 3 }\n');
    const started = await startSpandrel({ command: 'server', args: ['--config', join(folder, 'spandrel.yaml')] });
    const silent = await holdSockets(started.apiUrl, 1_000, LISTEN);
    silent.sockets.forEach((socket) => socket.pause());
    const good = await EventClient.open(started.apiUrl);
    const api = new Api(started.apiUrl);
    await api.post('/api/traces', { id: 't' });
    await good.has(1);
    forgetPeak(started.pid);
    const before = peakMiB(started.pid);
    // Far more than the sockets' own buffers take: 1,000 clients × 60 MB would be 60 GB.
    const input = 'x'.repeat(200_000);
    let slowestMs = 0;
    for (const n of range(1, 300)) {
      const sent = Date.now();
      expect((await api.post('/api/spans', { id: `s${n}`, trace_id: 't', name: 's', input })).status).toBe(201);
      slowestMs = Math.max(slowestMs, Date.now() - sent);
    }
    await good.has(301, 30_000);
    expect(good.ids).toEqual(range(1, 301));
    const peak = peakMiB(started.pid);
    process.stdout.write(`1,000 silent clients: ${before} → ${peak} MiB, slowest write ${slowestMs} ms\n`);
    expect(peak - before).toBeLessThan(400);
    await until(async () => /^spandrel_event_streams 1$/m.test(await metricsText(started.apiUrl)), 30_000);
    silent.close();
    good.close();
    expect(await started.stop()).toBe(0);
  }, 120_000);
});
