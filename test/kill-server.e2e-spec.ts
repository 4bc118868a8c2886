/** kill -9 of the server under write load, again and again: what was acknowledged is there, once. */
import { afterAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './support/ports.ts';
import { startSpandrel, tempDir, until, type Spandrel } from './support/spandrel.ts';
import { Api } from './support/api.ts';
import { naiveSummary } from './support/naive-analytics.ts';
import { recount } from './support/recount.ts';
import type { SpanResource } from '@spandrel/contract';

const KILLS = 12;
const WRITERS = 12;

interface Acknowledged {
  created: Set<string>;
  completed: Set<string>;
  ingested: Set<string>;
}

let server: Spandrel | undefined;
afterAll(() => server?.stop('SIGKILL'));

describe('kill -9 of the server under write load', () => {
  it(`loses and doubles nothing in ${KILLS} kills`, async () => {
    const place = { port: await freePort(), dataDir: tempDir() };
    const acknowledged: Acknowledged = { created: new Set(), completed: new Set(), ingested: new Set() };
    let serial = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      server = await startSpandrel({ command: 'server', ...place });
      const api = new Api(server.apiUrl);
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
      if (kill % 5 > 0) await until(() => countOf(acknowledged) > before + 20);
      await sleep((kill * 37) % 240);
      await server.stop('SIGKILL');
      running = false;
      await Promise.all(writers);
    }
    expect(countOf(acknowledged)).toBeGreaterThan(KILLS * 10);
    server = await startSpandrel({ command: 'server', ...place });
    expectKept(acknowledged, place.dataDir);
    expect(recount(place.dataDir).wrongAnalytics).toBe(0);
    await expectAnalytics(new Api(server.apiUrl));
    expect(await server.stop()).toBe(0);
  }, 120_000);
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
async function expectAnalytics(api: Api): Promise<void> {
  const spans = await all<SpanResource>(api, 'spans');
  const traces = await all(api, 'traces');
  expect((await api.get('/api/analytics/summary')).body).toEqual(naiveSummary(traces.length, spans));
  expect((await api.get('/api/stats')).body).toEqual({ trace_count: traces.length, span_count: spans.length });
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

function expectKept({ created, completed, ingested }: Acknowledged, dataDir: string): void {
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = db
      .prepare(
        'SELECT s.id, s.status, p.input, p.output FROM span s LEFT JOIN span_payload p ON p.project_id = s.project_id AND p.span_id = s.id',
      )
      .all() as { id: string; status: number; input: string | null; output: string | null }[];
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect(byId.size).toBe(rows.length);
    const lost = [...created].filter((id) => byId.get(id)?.input !== JSON.stringify(id));
    const unfinished = [...completed, ...ingested].filter(
      (id) => byId.get(id)?.status !== 1 || byId.get(id)?.output !== JSON.stringify(id),
    );
    expect({ lost, unfinished }).toEqual({ lost: [], unfinished: [] });
    const wrong = db
      .prepare(
        `SELECT t.id FROM trace t LEFT JOIN span s ON s.project_id = t.project_id AND s.trace_id = t.id GROUP BY t.project_id, t.id
         HAVING t.span_count <> count(s.id) OR t.running_count <> coalesce(sum(s.status = 0), 0)`,
      )
      .all();
    expect(wrong).toEqual([]);
  } finally {
    db.close();
  }
}
