/**
 * Statements that other suites have no row of: those of large data, of old events and of a quiet database. Rows are compared
 * with their shapes wherever they come (`libs/storage/src/statements/checked-rows.ts`).
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { accessFeature, AccessSettings, administrationOf, CLI_ACTOR, JwtSettings } from '@spandrel/access';
import { KeyHolderStore } from '@spandrel/connections';
import { listSpansSchema } from '@spandrel/contract';
import { createLogger, LOCAL_SCOPE, projectScope } from '@spandrel/kernel';
import { integer, openStorage, shapeOf, sql } from '@spandrel/storage';
import { BoundedScan, SpanStore, TraceStore, type StoredSpan } from '@spandrel/tracing';
import { EventLogStore } from '../../libs/events/src/log/event-log.store.js';
import { fittingSpans } from '../../libs/tracing/src/span-partitions.sql.js';
import { LIST_LIMITS, type ListLimits } from '../../libs/tracing/src/listing/list-request.sql.js';
import { SpanListStore } from '../../libs/tracing/src/listing/span-list.store.js';
import { describeOnBothDatabases } from '../support/databases.ts';
import { testSettings } from '../support/server-app.ts';
import { sampleTraces, samples, span } from './samples.js';
import { TracingApp } from './tracing-app.js';

/** SQLite looks through so many payloads in one go that the first slice has an end. */
const SPANS = { SQLite: 16_200, Postgres: 400 };
const SPANS_AT_ONCE = 2_000;

describeOnBothDatabases('rare statements', ({ name, newDatabase }) => {
  const all = samples(SPANS[name]);
  let app: TracingApp;

  beforeAll(async () => {
    app = await TracingApp.open(await newDatabase('rare'));
    // The check of a storage asks nothing for a second behind a commit, which background tasks make, too.
    const { backend } = app.storage as unknown as { backend: { check(): Promise<void> } };
    expect(await backend.check()).toBeUndefined();
    for (let at = 0; at < all.length; at += SPANS_AT_ONCE) {
      const spans = all.slice(at, at + SPANS_AT_ONCE).map(span);
      const { body } = await app.post('/api/ingest', { traces: sampleTraces, spans });
      expect(body.rejected).toEqual([]);
    }
  });
  afterAll(() => app?.close());

  async function search(query: object, limits: Partial<ListLimits>): Promise<string[]> {
    const { storage } = app;
    const lists = new SpanListStore(storage, app.provided(SpanStore), { ...LIST_LIMITS, ...limits });
    const page = await lists.list(LOCAL_SCOPE, listSpansSchema.parse({ text_contains: 'upper LOWER', ...query }));
    return page.items.map(({ id }) => id);
  }

  // The text index says nothing of a text of two characters: payloads are looked through in list order.
  it.each([{ sort_by: 'started_at' }, { sort_by: 'duration' }, { text_contains: 'LO' }])(
    'finds texts alike either way (%j)',
    async (query) => {
      const inListOrder = await search(query, {});
      expect(inListOrder.length).toBeGreaterThan(0);
      expect(await search(query, { searched: 0 })).toEqual(inListOrder);
    },
  );

  it('reads no range that has more rows than may be read', async () => {
    const rows = sql`select 1 as one from span s where s.project_id = ${LOCAL_SCOPE.projectId}`;
    const count = shapeOf({ count: integer() }).query`select count(*) as count from (${rows}) all_of_them`;
    const scan = (analyticsScanRows: number) =>
      new BoundedScan(app.storage, { analyticsScanRows, analyticsScanMs: 60_000 }).read(rows, count, LOCAL_SCOPE);
    expect(await scan(all.length)).toEqual([{ count: all.length }]);
    await expect(scan(all.length - 1)).rejects.toMatchObject({ code: 'range_too_large' });
  });

  it('reads no more traces than may be read, and lists users of nearly all of them as of all', async () => {
    const PER_USER = 1_010;
    for (const user of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) {
      const traces = Array.from({ length: PER_USER }, (_, n) => ({
        ...{ id: `${user}${n}`, user_id: user, started_at: new Date(Date.UTC(2026, 1, 1) + n).toISOString() },
      }));
      expect((await app.call('POST', '/api/ingest', { traces, spans: [] }, 'users')).body.rejected).toEqual([]);
    }
    const scope = projectScope('users');
    const traces = sql`from trace where project_id = ${scope.projectId} and user_id is not null`;
    const count = shapeOf({ count: integer() }).query`select count(*) as count ${traces}`;
    const scan = (analyticsScanRows: number) =>
      new BoundedScan(app.storage, { analyticsScanRows, analyticsScanMs: 60_000 }).readTraces(traces, count, scope);
    for (const max of [10 * PER_USER, 1_000_000]) expect(await scan(max)).toEqual([{ count: 10 * PER_USER }]);
    await expect(scan(10 * PER_USER - 1)).rejects.toMatchObject({ code: 'range_too_large' });

    const users = async (range: string) =>
      (
        (await app.call('GET', `/api/users?sort_by=calls${range}`, undefined, 'users')).body as unknown as {
          users: object[];
        }
      ).users;
    const all = await users('');
    expect(all).toHaveLength(10);
    expect(all[0]).toMatchObject({ user_id: 'j', trace_count: PER_USER });
    expect(await users('&since=2026-02-01&until=2026-02-02')).toEqual(all);
    const later = all.map((user) => ({
      ...user,
      trace_count: PER_USER - 1,
      first_seen_at: '2026-02-01T00:00:00.001Z',
    }));
    expect(await users('&since=2026-02-01T00:00:00.001Z')).toEqual(later);
    expect(await users('&since=2026-02-01T00:00:01Z')).toMatchObject(
      all.map(() => ({ trace_count: PER_USER - 1_000 })),
    );
  }, 60_000);

  it('loads as many spans from the first one on as fit into memory together, at least one', async () => {
    const stored = all
      .slice(0, 60)
      .map(({ id }) => id)
      .toReversed();
    const ids = [stored[0]!, 'none', ...stored.slice(1)];
    const load = async (bytesMax?: number): Promise<StoredSpan[]> => {
      const loaded = await fittingSpans(app.storage, LOCAL_SCOPE, ids, bytesMax);
      return loaded.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
    };
    const whole = await load();
    expect(whole.map(({ id }) => id)).toEqual(stored);
    const sizes = whole.map(({ kind, input, output, metadata, error }) =>
      [kind, input, output, metadata, error].reduce((sum, member) => sum + Buffer.byteLength(member ?? ''), 0),
    );
    for (const count of [1, 2, 30, 60]) {
      const exactly = sizes.slice(0, count).reduce((sum, size) => sum + size, 0);
      expect(await load(exactly)).toEqual(whole.slice(0, count));
      expect(await load(exactly - 1)).toEqual(whole.slice(0, Math.max(1, count - 1)));
    }
  });

  it('knows whether one of some traces is there', async () => {
    const traces = new TraceStore(app.storage);
    const exist = (ids: string[]): Promise<boolean> => app.storage.write((tx) => traces.exist(tx, LOCAL_SCOPE, ids));
    expect(await exist(['none', sampleTraces[0]!.id])).toBe(true);
    expect(await exist(['none'])).toBe(false);
  });

  it('knows the servers that have said something lately', async () => {
    const holders = new KeyHolderStore(app.storage);
    const server = { id: 'server', host: 'here', keyIds: ['key'] };
    await holders.note({ ...server, keyIds: JSON.stringify(server.keyIds), seenAt: 100_000 });
    expect(await holders.running(110_000)).toEqual([server]);
    expect(await holders.running(200_000)).toEqual([]);
    await holders.forget(server.id);
    expect(await holders.running(110_000)).toEqual([]);
  });

  it('drops events that are old, and finds whose they are', async () => {
    const log = app.provided(EventLogStore);
    const inAnHour = Date.now() + 3_600_000;
    expect(await log.expiredProjects(inAnHour)).toContain(LOCAL_SCOPE.projectId);
    while (await app.storage.write((tx) => log.prune(tx, LOCAL_SCOPE.projectId, inAnHour)));
    expect(await log.expiredProjects(inAnHour)).not.toContain(LOCAL_SCOPE.projectId);
  });

  it('lists the projects of an organization', async () => {
    const logger = createLogger('silent', 'test');
    const storage = await openStorage(await newDatabase('access'), { entities: accessFeature.entities, logger });
    const settings = testSettings();
    const { organizations, projects } = administrationOf(
      storage,
      settings.of(AccessSettings),
      settings.of(JwtSettings),
    );
    const org = await organizations.create(CLI_ACTOR, { name: 'org', plan: 'starter' });
    const project = await projects.create(CLI_ACTOR, org.id, { name: 'project' });
    expect((await projects.list(CLI_ACTOR, org.id, { limit: 10 })).items).toEqual([project]);
    await storage.close();
  });
});
