/** kill -9 of the server under write load with clients attached: an event for every change that is there, for no other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { EventPayload } from '@spandrel/contract';
import { Api } from '../support/api.ts';
import { freePort } from '../support/ports.ts';
import { recount } from '../support/recount.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';
import { EventClient, range, type SeenEvent } from './event-client.ts';

const KILLS = 6;
const WRITERS = 8;

let server: Spandrel | undefined;
afterAll(() => server?.stop('SIGKILL'));

describe('kill -9 of the server under write load with clients attached', () => {
  it(`leaves one event for every change, in ${KILLS} kills`, async () => {
    const place = { port: await freePort(), dataDir: tempDir() };
    const completed = new Set<string>();
    /** What clients were sent before each kill. */
    const delivered: SeenEvent[] = [];
    let serial = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      server = await startSpandrel({ command: 'server', ...place });
      const api = new Api(server.apiUrl);
      const last = delivered.at(-1)?.id ?? 0;
      const resumed = await EventClient.open(server.apiUrl, { query: `since=${last}` });
      const others = await Promise.all(range(1, 5).map(() => EventClient.open(server!.apiUrl)));
      const writers = Array.from({ length: WRITERS }, () => write(api, completed, () => `k${kill}-${serial++}`));
      const before = completed.size;
      await until(() => completed.size >= before + WRITERS);
      await sleep((kill * 37) % 140);
      await server.stop('SIGKILL');
      await Promise.all(writers);
      await Promise.all([resumed, ...others].map((client) => client.ended()));
      expect(resumed.ids).toEqual(range(last + 1, last + resumed.ids.length));
      for (const { ids } of others) if (ids.length > 0) expect(ids).toEqual(range(ids[0]!, ids.at(-1)!));
      delivered.push(...resumed.events);
    }
    server = await startSpandrel({ command: 'server', ...place });
    const all = await wholeLog(server.apiUrl, place.dataDir);
    expect(all.slice(0, delivered.length)).toEqual(delivered);
    expect(completed.size).toBeGreaterThanOrEqual(KILLS * WRITERS);
    expectOneEventEach(all, place.dataDir, completed);
    expect(await server.stop()).toBe(0);
  }, 120_000);
});

/** Writes until the server is gone. */
async function write(api: Api, completed: Set<string>, nextId: () => string): Promise<void> {
  try {
    const trace = nextId();
    await api.post('/api/traces', { id: trace });
    for (;;) {
      const id = nextId();
      await api.post('/api/spans', { id, trace_id: trace, name: 'one' });
      if ((await api.post(`/api/spans/${id}/complete`, { output: id })).status === 200) completed.add(id);
    }
  } catch {
    // Killed: what was on its way has not been acknowledged.
  }
}

async function wholeLog(url: string, dataDir: string): Promise<SeenEvent[]> {
  const { spans, traceIds } = recount(dataDir);
  const finished = [...spans.values()].filter((status) => status === 1).length;
  const client = await EventClient.open(url, { query: 'since=0' });
  await client.has(traceIds.size + spans.size + finished);
  await sleep(200);
  client.close();
  return client.events;
}

function expectOneEventEach(events: readonly SeenEvent[], dataDir: string, acknowledged: ReadonlySet<string>): void {
  const { spans, traceIds, integrity } = recount(dataDir);
  expect(integrity).toBe('ok');
  const told = { trace_created: [] as string[], span_created: [] as string[], span_completed: [] as string[] };
  for (const { data } of events) {
    const event = JSON.parse(data) as EventPayload;
    if (event.type === 'trace_created') told.trace_created.push(event.trace.id);
    else if (event.type === 'span_created' || event.type === 'span_completed') told[event.type].push(event.span.id);
  }
  expect(events.map(({ id }) => id)).toEqual(range(1, events.length));
  expect(told.trace_created.toSorted()).toEqual([...traceIds].toSorted());
  expect(told.span_created.toSorted()).toEqual([...spans.keys()].toSorted());
  const finished = [...spans].filter(([, status]) => status === 1).map(([id]) => id);
  expect(told.span_completed.toSorted()).toEqual(finished.toSorted());
  const isFinished = new Set(finished);
  expect([...acknowledged].filter((id) => !isFinished.has(id))).toEqual([]);
}
