import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { ReadStore } from '@spandrel/plugin-api';
import { MemoryReadStore } from '@spandrel/plugin-api/testing';
import { describeOnBothDatabases } from '../support/databases.ts';
import { repetitions } from '../support/repetitions.ts';
import { assertAlwaysEqual, openWithStore, type StoreApp } from './equality.ts';

describeOnBothDatabases('a plain read store', ({ newDatabase }) => {
  const store = new MemoryReadStore();
  let app: StoreApp;

  beforeAll(async () => {
    Object.assign(globalThis, { memoryReadStore: store });
    const plugin = { use: resolve('test/read-store/memory-plugin.mjs'), config: {} };
    app = await openWithStore(await newDatabase('read_store'), 'memory', plugin);
  });
  afterAll(() => app.close());

  it('gives the same lists and counts as the database, whatever is written, deleted and loaded', async () => {
    const list = jest.spyOn(store, 'list');
    await assertAlwaysEqual(app, repetitions(40), 6);
    const answers = await Promise.all(list.mock.results.map(({ value }) => value as ReturnType<ReadStore['list']>));
    expect(answers.filter(({ length }) => length > 0).length).toBeGreaterThan(100);
  });
});
