/** kill -9 of the server under write load, again and again: what was acknowledged is there, once. */
import { afterAll, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './support/api.ts';
import { naiveSummary } from './support/naive-analytics.ts';
import type { Place } from './support/places.ts';
import { recount } from './support/recount.ts';
import { until } from './support/spandrel.ts';
import type { SpanResource, TraceListItem } from '@spandrel/contract';
import { THOROUGH } from './support/repetitions.ts';
import { describeOnBothDatabases } from './support/databases.ts';

const WRITERS = 12;
/** One under load shows the way; that at once behind a start, and those behind another kill, come when there is time. */
const KILLS = THOROUGH ? 9 : 1;

interface Acknowledged {
  created: Set<string>;
  completed: Set<string>;
  ingested: Set<string>;
}

describeOnBothDatabases('kill -9 of the server under write load', ({ takePlace }) => {
  let place: Place | undefined;
  afterAll(() => place?.close());

  it(`loses and doubles nothing in ${KILLS} kills`, async () => {
    place = await takePlace();
    const acknowledged: Acknowledged = { created: new Set(), completed: new Set(), ingested: new Set() };
    let serial = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const server = await place.start({ command: 'server' });
      const { api } = server;
      let running = true;
      const writers = Array.from({ length: WRITERS }, (_, i) =>
        write(
          api,
          acknowledged,
          () => running,
          () => `k${kill}-${serial++}`,
          i % 4 === 0,
        ),
      );
      // A machine may be slow to begin: as a rule the kill comes when the load is on.
      const before = countOf(acknowledged);
      if (kill % 5 < 4) await until(() => countOf(acknowledged) > before + 20);
      await sleep((kill * 37) % 240);
      await server.stop('SIGKILL');
      running = false;
      await Promise.all(writers);
    }
    expect(countOf(acknowledged)).toBeGreaterThan(KILLS * 10);
    const server = await place.start({ command: 'server' });
    const { api } = server;
    const spans = await all<SpanResource>(api, 'spans');
    expectKept(acknowledged, spans);
    if (place.mode === 'local') {
      expect(recount(place.dataDir)).toMatchObject({ integrity: 'ok', wrongRollUps: [], wrongAnalytics: 0, halves: 0 });
    }
    await expectAnalytics(api, spans);
    expect(await server.stop()).toBe(0);
  });
});

const countOf = ({ completed, ingested }: Acknowledged): number => completed.size + ingested.size;

/** Writes until the server is gone, noting what it acknowledged. */
async function write(
  api: Api,
  acknowledged: Acknowledged,
  goesOn: () => boolean,
  nextId: () => string,
  bulk: boolean,
): Promise<void> {
  const trace = nextId();
  try {
    await api.post('/api/traces', { id: trace });
    while (goesOn()) {
      if (bulk) {
        const ids = Array.from({ length: 20 }, nextId);
        const spans = ids.map((id) => ({ id, trace_id: trace, name: 'bulk', status: 'completed', output: id }));
        const { status } = await api.post('/api/ingest', { spans });
        if (status === 200) for (const id of ids) acknowledged.ingested.add(id);
      } else {
        const id = nextId();
        const created = await api.post('/api/spans', { id, trace_id: trace, name: 'one', input: id });
        if (created.status === 201) acknowledged.created.add(id);
        const completed = await api.post(`/api/spans/${id}/complete`, { output: id });
        if (completed.status === 200) acknowledged.completed.add(id);
      }
    }
  } catch {
    // The server was killed: what was on its way has not been acknowledged.
  }
}

/** What the summary and the counts say, against everything there is. */
async function expectAnalytics(api: Api, spans: readonly SpanResource[]): Promise<void> {
  const traces = await all<TraceListItem>(api, 'traces');
  expect((await api.get('/api/analytics/summary')).body).toEqual(naiveSummary(traces.length, spans));
  expect((await api.get('/api/stats')).body).toEqual({ trace_count: traces.length, span_count: spans.length });
  const counts = Map.groupBy(spans, ({ trace_id }) => trace_id);
  expect(traces.filter(({ id, span_count }) => span_count !== (counts.get(id)?.length ?? 0))).toEqual([]);
}

async function all<Item>(api: Api, plural: 'spans' | 'traces'): Promise<Item[]> {
  type Page = Record<typeof plural, Item[]> & { next_cursor: string | null };
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: { body: Page } = await api.get<Page>(`/api/${plural}?limit=1000${cursor && `&cursor=${cursor}`}`);
    items.push(...body[plural]);
    cursor = body.next_cursor;
  }
  return items;
}

function expectKept({ created, completed, ingested }: Acknowledged, spans: readonly SpanResource[]): void {
  const byId = new Map(spans.map((span) => [span.id, span]));
  expect(byId.size).toBe(spans.length);
  const lost = [...created].filter((id) => byId.get(id)?.input !== id);
  const unfinished = [...completed, ...ingested].filter(
    (id) => byId.get(id)?.status !== 'completed' || byId.get(id)?.output !== id,
  );
  expect({ lost, unfinished }).toEqual({ lost: [], unfinished: [] });
}
