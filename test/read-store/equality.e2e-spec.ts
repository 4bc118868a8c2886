import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { MemoryReadStore } from '@spandrel/plugin-api/testing';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { rebuildReadStore } from '@spandrel/read-store';
import { ReadStoreChangeStore } from '../../libs/read-store/src/read-store-change.store.js';
import { CHANGE_KIND } from '../../libs/read-store/src/read-store.entity.js';
import { describeOnBothDatabases } from '../support/databases.ts';
import { repetitions } from '../support/repetitions.ts';
import { until } from '../support/spandrel.ts';
import { assertAlwaysEqual, EQUALITY_QUERIES, openWithStore, type StoreApp } from './equality.ts';

describeOnBothDatabases('a plain read store', ({ newDatabase }) => {
  const store = new MemoryReadStore();
  let app: StoreApp;

  beforeAll(async () => {
    Object.assign(globalThis, { memoryReadStore: store });
    const plugin = { use: resolve('test/read-store/memory-plugin.mjs'), config: {} };
    app = await openWithStore(await newDatabase('read_store'), 'memory', plugin);
  });
  afterAll(() => app.close());

  it(
    'gives the same answers as the database, whatever is written, deleted, expired and loaded',
    async () => {
      const asked = (['list', 'listTraces', 'sum'] as const).map((name) => jest.spyOn(store, name));
      await assertAlwaysEqual(app, EQUALITY_QUERIES || repetitions(5_000), 6);
      for (const { mock } of asked) {
        const answers = await Promise.all(mock.results.map(({ value }) => value as Promise<unknown[]>));
        expect(answers.filter(({ length }) => length > 0).length).toBeGreaterThan(10);
      }
    },
    EQUALITY_QUERIES ? 7_200_000 : 900_000,
  );

  it('has loaded a project although spans are added to it all the time', async () => {
    const { body: trace } = await app.call('POST', '/api/traces', {});
    const addSpan = async (): Promise<void> => {
      const { status } = await app.call('POST', '/api/spans', { trace_id: trace.id, name: 'added' });
      expect(status).toBe(201);
    };
    await addSpan();
    await rebuildReadStore(app.storage);
    const { apply } = store;
    const batches = jest.spyOn(store, 'apply').mockImplementation(async (batch) => {
      if (batches.mock.calls.length > 20) throw new Error('goes on for ever');
      await addSpan();
      await apply.call(store, batch);
    });
    await app.load().finally(() => batches.mockRestore());
    const { text } = await app.metrics();
    // The span that came with the last batch, and its trace.
    expect(text).toContain('spandrel_read_store_changes_waiting 2\n');
  });

  it('is not behind by a trace to which spans are always added, since it is loaded again and again', async () => {
    const changes = app.app.get(ReadStoreChangeStore);
    const noted = { projectId: LOCAL_SCOPE.projectId, kind: CHANGE_KIND.traceRow, id: 'talk', moved: false };
    const note = () => app.storage.write((tx) => changes.note(tx, [noted], 1_000));
    await app.load();
    const began = Date.now();
    const { apply } = store;
    const looked = Promise.withResolvers<void>();
    const batches = jest.spyOn(store, 'apply').mockImplementation(async (batch) => {
      await (batches.mock.calls.length === 1 ? note() : looked.promise);
      await apply.call(store, batch);
    });
    await note();
    const loads = [app.load(), app.load()];
    await until(() => batches.mock.calls.length === 2);
    expect((await changes.next(5_000)).map(({ id, seq }) => [id, seq])).toEqual([['talk', 2]]);
    expect((await changes.waiting()).oldest).toBeGreaterThanOrEqual(began);
    looked.resolve();
    await Promise.all(loads).finally(() => batches.mockRestore());
    expect(await changes.next(5_000)).toEqual([]);
  });

  it('takes what was loaded from the changes by its key, which holds up nobody', async () => {
    const changes = app.app.get(ReadStoreChangeStore);
    const { projectId } = LOCAL_SCOPE;
    const noted = Array.from({ length: 2_000 }, (_, n) => ({
      ...{ projectId, kind: CHANGE_KIND.span, id: `many-${n}`, moved: false },
    }));
    await app.storage.write((tx) => changes.note(tx, noted, Date.now()));
    const waiting = async () => (await changes.next(5_000)).filter(({ id }) => id.startsWith('many-'));
    const [loaded, state] = [await waiting(), await changes.state()];
    expect(loaded).toHaveLength(2_000);
    const before = process.threadCpuUsage();
    await changes.confirm(state!, loaded, Date.now());
    const { user, system } = process.threadCpuUsage(before);
    expect(await waiting()).toEqual([]);
    // All of them compared with each other take some 900 ms.
    expect((user + system) / 1_000).toBeLessThan(300);
  });
});
