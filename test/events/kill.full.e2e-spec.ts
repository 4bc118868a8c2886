/** kill -9 of the server under write load with clients attached: an event for every change that is there, for no other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import type { EventPayload } from '@spandrel/contract';
import type { Api } from '../support/api.ts';
import type { Place } from '../support/places.ts';
import { recount } from '../support/recount.ts';
import { until } from '../support/spandrel.ts';
import { EventClient, range, type SeenEvent } from './event-client.ts';
import { repetitions } from '../support/repetitions.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

const KILLS = repetitions(6);
const WRITERS = 8;

describeOnBothDatabases('kill -9 of the server under write load with clients attached', ({ takePlace }) => {
  let place: Place | undefined;
  afterAll(() => place?.close());

  it(`leaves one event for every change, in ${KILLS} kills`, async () => {
    place = await takePlace();
    const { headers } = place;
    const completed = new Set<string>();
    /** What clients were sent before each kill. */
    const delivered: SeenEvent[] = [];
    let serial = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const server = await place.start({ command: 'server' });
      const last = delivered.at(-1)?.id ?? 0;
      const resumed = await EventClient.open(server.apiUrl, { query: `since=${last}`, headers });
      const others = await Promise.all(range(1, 5).map(() => EventClient.open(server.apiUrl, { headers })));
      const writers = Array.from({ length: WRITERS }, () => write(server.api, completed, () => `k${kill}-${serial++}`));
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
    const server = await place.start({ command: 'server' });
    if (place.mode === 'local') expect(recount(place.dataDir)).toMatchObject({ integrity: 'ok' });
    const kept = await keptIn(place);
    const all = await wholeLog(server.apiUrl, place, kept);
    expect(all.slice(0, delivered.length)).toEqual(delivered);
    expect(completed.size).toBeGreaterThanOrEqual(KILLS * WRITERS);
    expectOneEventEach(all, kept, completed);
    expect(await server.stop()).toBe(0);
  });
});

/** Ids of what the tables hold. */
interface Kept {
  traces: string[];
  spans: string[];
  completed: string[];
}

async function keptIn(place: Place): Promise<Kept> {
  const ids = async (rows: string): Promise<string[]> =>
    (await place.rows<{ id: string }>(`select id from ${rows}`)).map(({ id }) => id).toSorted();
  return { traces: await ids('trace'), spans: await ids('span'), completed: await ids('span where status = 1') };
}

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

async function wholeLog(url: string, { headers }: Place, kept: Kept): Promise<SeenEvent[]> {
  const client = await EventClient.open(url, { query: 'since=0', headers });
  await client.has(kept.traces.length + kept.spans.length + kept.completed.length);
  await sleep(200);
  client.close();
  return client.events;
}

function expectOneEventEach(events: readonly SeenEvent[], kept: Kept, acknowledged: ReadonlySet<string>): void {
  const reported = { trace_created: [] as string[], span_created: [] as string[], span_completed: [] as string[] };
  for (const { data } of events) {
    const event = JSON.parse(data) as EventPayload;
    if (event.type === 'trace_created') reported.trace_created.push(event.trace.id);
    else if (event.type === 'span_created' || event.type === 'span_completed') reported[event.type].push(event.span.id);
  }
  expect(events.map(({ id }) => id)).toEqual(range(1, events.length));
  expect(reported.trace_created.toSorted()).toEqual(kept.traces);
  expect(reported.span_created.toSorted()).toEqual(kept.spans);
  expect(reported.span_completed.toSorted()).toEqual(kept.completed);
  const isCompleted = new Set(kept.completed);
  expect([...acknowledged].filter((id) => !isCompleted.has(id))).toEqual([]);
}
