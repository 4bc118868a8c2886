import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { listSpansSchema } from '@spandrel/contract';
import { BackgroundTasks, LOCAL_SCOPE } from '@spandrel/kernel';
import { integer, joinSql, shapeOf, sql, type WriteTx } from '@spandrel/storage';
import { SpanStore } from '@spandrel/tracing';
import { LIST_LIMITS } from '../../libs/tracing/src/listing/list-request.sql.js';
import { SpanListStore } from '../../libs/tracing/src/listing/span-list.store.js';
import { BuildTextIndex } from '../../libs/tracing/src/text-index/build-text-index.js';
import { indexedUntil } from '../../libs/tracing/src/text-index/pending-texts.sql.js';
import { ColdTexts } from '../../libs/tracing/src/reading/cold-texts.js';
import { TextIndexStore, type TextSlice } from '../../libs/tracing/src/text-index/text-index.store.js';
import { containsText } from './listing.js';
import type { TracingApp } from './tracing-app.js';
import { repetitions } from '../support/repetitions.ts';

const BASE = Date.parse('2026-04-01T00:00:00.000Z');
const at = (second: number): string => new Date(BASE + second * 1_000).toISOString();
const EVER = { startedFrom: Number.MIN_SAFE_INTEGER, startedUntil: Number.MAX_SAFE_INTEGER };
const GOING_ON = new AbortController().signal;
const COUNT = shapeOf({ number: integer() });

/** Searches find by slices of texts what they find without, whatever was written, and in what order. */
export function textSlices(app: () => TracingApp): void {
  describe('slices of texts', () => {
    const slices = (): TextIndexStore => new TextIndexStore(app().storage, app().provided(ColdTexts));
    let made: BuildTextIndex | undefined;
    const builder = (): BuildTextIndex => (made ??= newBuilder());
    const newBuilder = (): BuildTextIndex => {
      const { storage } = app();
      const size = { spans: 4, bytes: 2_000, ageMs: 0 };
      return new BuildTextIndex(storage, slices(), size);
    };

    // What the server does by itself, it does at times of its own.
    beforeAll(() => app().provided(BackgroundTasks).onModuleDestroy());

    async function build(second: number, steps = 1_000): Promise<void> {
      for (let step = 0; step < steps; step++) {
        if (typeof (await builder().execute(LOCAL_SCOPE, GOING_ON, BASE + second * 1_000)) === 'string') return;
      }
    }

    async function search(query: object): Promise<string[]> {
      const { storage } = app();
      // Without a look at the first spans in list order.
      const lists = new SpanListStore(storage, app().provided(SpanStore), { ...LIST_LIMITS, searched: 0, hits: 7 });
      const page = await lists.list(LOCAL_SCOPE, listSpansSchema.parse({ limit: '1000', ...query }));
      return page.items.map(({ id }) => id);
    }

    async function ingest(spans: readonly object[]): Promise<void> {
      const whole = spans.map((span) => ({ trace_id: 't', name: 'n', kind: { type: 'tool_call' }, ...span }));
      const { body } = await app().post('/api/ingest', { traces: [{ id: 't', started_at: at(0) }], spans: whole });
      expect(body.rejected).toEqual([]);
    }

    /** Changes an output behind the server's back, as no writer may: filters know nothing of it. */
    const plant = (id: string, output: string): Promise<number> =>
      app().storage.write((tx) =>
        tx.run(sql`update span_payload set output = ${JSON.stringify(output)} where span_id = ${id}`),
      );

    const all = (): Promise<TextSlice[]> => slices().slicesIn(LOCAL_SCOPE, EVER);
    const late = async (): Promise<number> => (await slices().pendingTexts(LOCAL_SCOPE, EVER, 1_000)).length;

    const done = (id: string, second: number, output: string): object => ({
      ...{ id, started_at: at(second), ended_at: at(second + 1), output },
    });

    beforeEach(async () => {
      await app().delete('/api/traces');
      await app().storage.write(async (tx) => {
        for (const table of [sql`text_slice`, sql`text_pending`]) await tx.run(sql`delete from ${table}`);
        await tx.run(sql`update text_watermark set started_until = ${Number.MIN_SAFE_INTEGER}, leased_until = 0`);
      });
    });

    it('cover all starts up to a moment, a few spans each, and are what a search looks through', async () => {
      await ingest(Array.from({ length: 12 }, (_, n) => done(`s${n}`, n, `this is number${n}`)));
      await build(11);
      const made = await all();
      expect(made[0]!.startedFrom).toBe(Number.MIN_SAFE_INTEGER);
      expect(made.at(-1)!.startedUntil).toBe(BASE + 10_001);
      for (const [n, { startedUntil }] of made.entries())
        if (made[n + 1]) expect(made[n + 1]!.startedFrom).toBe(startedUntil);
      expect(made.map(({ state, spans }) => [state, spans])).toEqual([
        [1, 3],
        [1, 4],
        [1, 4],
      ]);
      for (const sort of ['started_at', 'duration']) {
        expect(await search({ text_contains: 'NUMBER3', sort_by: sort })).toEqual(['s3']);
        expect(await search({ text_contains: 'nowhere', sort_by: sort })).toEqual([]);
      }
      await plant('s5', 'nowhere');
      await plant('s11', 'nowhere');
      expect(await search({ text_contains: 'nowhere' })).toEqual(['s11']);
      // Too short to be asked for: every text is looked at.
      expect(await search({ text_contains: 'owh' })).toEqual(['s11', 's5']);
    });

    it('find what changes in them, before and after their filters hold it', async () => {
      await ingest([
        ...Array.from({ length: 8 }, (_, n) => done(`s${n}`, n, 'text')),
        { id: 'open', started_at: at(3) },
      ]);
      await build(20);
      expect(await late()).toBe(0);
      await app().post('/api/spans/open/complete', { output: 'changed' });
      await ingest([done('new', 2, 'changed')]);
      expect(await late()).toBe(2);
      expect(await search({ text_contains: 'changed' })).toEqual(['open', 'new']);
      await build(20);
      expect(await late()).toBe(0);
      expect(await search({ output_contains: 'changed', sort_order: 'asc' })).toEqual(['new', 'open']);
      // So many that their slice is made again.
      await ingest(Array.from({ length: 3 }, (_, n) => done(`again${n}`, 2, 'again')));
      expect(await search({ text_contains: 'again' })).toHaveLength(3);
      await build(20);
      expect(await late()).toBe(0);
      expect(await search({ text_contains: 'again' })).toHaveLength(3);
      expect((await all()).reduce((sum, { spans }) => sum + spans, 0)).toBe(13);
    });

    it('make no filter of very many spans that start at once, and keep no slice of what was deleted', async () => {
      await ingest(Array.from({ length: 50 }, (_, n) => done(`s${n}`, 1, 'text')));
      await build(20);
      expect((await all()).map(({ state }) => state)).toContain(2);
      await ingest([done('more', 1, 'needle')]);
      expect(await search({ text_contains: 'needle' })).toEqual(['more']);
      await build(20);
      expect(await late()).toBe(0);
      expect(await search({ text_contains: 'needle' })).toEqual(['more']);
      await app().delete('/api/traces');
      expect(await builder().trim(LOCAL_SCOPE)).toBe(true);
      await build(20);
      expect((await all()).map(({ state, spans }) => [state, spans])).toEqual([[1, 0]]);
      expect(await builder().trim(LOCAL_SCOPE)).toBe(false);
    });

    it('take ten thousand late spans out one by one, not all for each', async () => {
      const { storage } = app();
      const late = Array.from({ length: 10_000 }, (_, n) => ({ startedAt: BASE + n, spanId: `late${n}`, mark: n }));
      const { projectId } = LOCAL_SCOPE;
      const cpuMs = async (work: (tx: WriteTx) => Promise<unknown>): Promise<number> => {
        const began = process.cpuUsage();
        await storage.write(work);
        const { user, system } = process.cpuUsage(began);
        return (user + system) / 1_000;
      };
      const putIn = await cpuMs(async (tx) => {
        for (let at = 0; at < late.length; at += 1_000) {
          const rows = joinSql(
            late.slice(at, at + 1_000).map((one) => sql`(${projectId}, ${one.startedAt}, ${one.spanId}, ${one.mark})`),
            ', ',
          );
          await tx.run(sql`insert into text_pending (project_id, started_at, span_id, mark) values ${rows}`);
        }
      });
      const changed = late.with(3, { ...late[3]!, mark: 1 });
      const takenOut = await cpuMs((tx) => slices().deletePending(tx, LOCAL_SCOPE, changed));
      expect(await storage.read(COUNT.query`select count(*) as number from text_pending`)).toEqual([{ number: 1 }]);
      // About as much as to put them in; a pass over all of them for each takes half a minute.
      expect(takenOut).toBeLessThan(50 * putIn);
    });

    it('wait for transactions that may not know of them', async () => {
      const { storage } = app();
      const begun = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const writing = storage.write(async (tx) => {
        await tx.all(COUNT.query`select count(*) as number from text_pending`);
        begun.resolve();
        await release.promise;
      });
      await begun.promise;
      let settled = false;
      const settling = slices()
        .waitForWriters(GOING_ON)
        .then((over) => (settled = over));
      for (let n = 0; n < 5; n++) await storage.read(COUNT.query`select count(*) as number from text_watermark`);
      // On SQLite nobody else writes while a slice is made.
      const before = settled;
      release.resolve();
      await writing;
      expect(before).toBe(storage.dialect === 'sqlite');
      expect(await settling).toBe(true);
    });

    it('are known to a server that starts later', async () => {
      await ingest(Array.from({ length: 5 }, (_, n) => done(`s${n}`, n, 'text')));
      await build(20);
      const end = await app().storage.write((tx) => indexedUntil(tx, LOCAL_SCOPE));
      expect(end).toBe(BASE + 4_001);
      expect((await slices().projects().next()).value).toBe(LOCAL_SCOPE.projectId);
    });

    it('are made by one server at a time', async () => {
      const lease = (server: string, now: number): Promise<boolean> =>
        slices().lease(LOCAL_SCOPE, server, now, now + 10);
      expect(await lease('one', 1_000)).toBe(true);
      expect(await lease('two', 1_005)).toBe(false);
      expect(await lease('one', 1_009)).toBe(true);
      expect(await lease('two', 1_100)).toBe(true);
      expect(await lease('two', 0)).toBe(true);
    });

    it('change nothing of what is found, whatever is written, built and deleted in between', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(acts, { minLength: 5, maxLength: 25 }),
          fc.array(searches, { minLength: 3, maxLength: 6 }),
          async (some, asked) => {
            await app().delete('/api/traces');
            const spans = new Map<string, { startedAt: number; output: string; open: boolean }>();
            const check = async (): Promise<void> => {
              for (const { needle, order, sort } of asked) {
                const sign = order === 'asc' ? 1 : -1;
                const expected = [...spans]
                  .filter(([, { output, open }]) => !open && containsText([output], needle))
                  .toSorted(([a, x], [b, y]) => sign * (x.startedAt - y.startedAt || (a < b ? -1 : 1)))
                  .map(([id]) => id);
                const found = await search({ text_contains: needle, sort_order: order, sort_by: sort });
                expect(sort === 'started_at' ? found : found.toSorted()).toEqual(
                  sort === 'started_at' ? expected : expected.toSorted(),
                );
              }
            };
            for (const [n, act] of some.entries()) {
              const known = [...spans.keys()];
              const id = known[act.which % Math.max(1, known.length)];
              if (act.type === 'add') {
                const added = act.texts.map((output, m) => ({
                  id: `s${n}-${m}`,
                  startedAt: (act.second + m * act.step) % 40,
                  output,
                }));
                await ingest(
                  added.map((one) =>
                    act.open ? { id: one.id, started_at: at(one.startedAt) } : done(one.id, one.startedAt, one.output),
                  ),
                );
                for (const one of added) spans.set(one.id, { ...one, open: act.open });
              } else if (act.type === 'build') await build(act.second, act.steps);
              else if (act.type === 'trim') await builder().trim(LOCAL_SCOPE);
              else if (id !== undefined && act.type === 'delete') {
                await app().delete(`/api/spans/${id}`);
                spans.delete(id);
              } else if (id !== undefined && spans.get(id)!.open) {
                await app().post(`/api/spans/${id}/complete`, { output: act.texts[0] });
                spans.set(id, { ...spans.get(id)!, output: act.texts[0]!, open: false });
              }
              if (n % 5 === 4) await check();
            }
            await check();
          },
        ),
        { numRuns: repetitions(30) },
      );
    });
  });
}

const words = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'é', '"', '\\', '\n'), minLength: 1, maxLength: 9 });

const acts = fc.record({
  type: fc.constantFrom('add', 'add', 'add', 'build', 'build', 'complete', 'delete', 'trim'),
  which: fc.nat(1_000),
  second: fc.nat(50),
  step: fc.nat(3),
  steps: fc.constantFrom(1, 3, 100),
  open: fc.boolean(),
  texts: fc.array(words, { minLength: 1, maxLength: 8 }),
});

const searches = fc.record({
  needle: words.filter((needle) => needle.length > 2),
  order: fc.constantFrom('asc', 'desc'),
  sort: fc.constantFrom('started_at', 'duration'),
});
