/** A link that opens an old trace: its texts come from the read store, and are missed while that is away. */
import { resolve } from 'node:path';
import { afterAll, expect, it, jest } from '@jest/globals';
import { MemoryReadStore } from '@spandrel/plugin-api/testing';
import { CoolDays, LoadReadStore, rebuildReadStore } from '@spandrel/read-store';
import { DAY_MS } from '@spandrel/storage';
import { ReadStoreSettings } from '../../libs/read-store/src/read-store.settings.js';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let [postgres, app]: [TestPostgres?, CloudApp?] = [];
afterAll(async () => {
  jest.restoreAllMocks();
  await app?.close();
  await postgres?.stop();
});

it('opens an old trace', async () => {
  const store = new MemoryReadStore();
  Object.assign(globalThis, { memoryReadStore: store });
  postgres = await startPostgres();
  app = await cloudApp(await postgres.createDatabase('shared'), {
    settings: (settings) => {
      const memory = { use: resolve('test/read-store/memory-plugin.mjs'), config: {} };
      settings.core.plugins = [...settings.core.plugins, memory];
      Object.assign(settings.of(ReadStoreSettings), { plugin: 'memory', hotDays: 1 });
    },
  });
  await rebuildReadStore(app.storage);
  const { api } = await app.createTenant();
  const started_at = new Date(Date.now() - 3 * DAY_MS).toISOString();
  const times = { started_at, ended_at: started_at, status: 'completed' };
  const span = { id: 'call', trace_id: 'old', name: 'call', ...times, input: 'Where?', output: 'There.' };
  expect((await api.post('/api/ingest', { traces: [{ id: 'old', started_at }], spans: [span] })).status).toBe(200);
  const { path } = (await api.post<{ path: string }>('/api/shares', { trace_id: 'old' })).body;
  const shared = path.replace('/s/', '/api/shared/');
  const opened = () => Promise.all(['', '/spans/call'].map(async (of) => (await app!.anonymous.get(shared + of)).body));
  const before = await opened();
  expect(JSON.stringify(before)).toContain('"There."');
  await app.app.get(LoadReadStore).execute();
  await app.app.get(CoolDays).execute(Date.now());
  const texts = jest.spyOn(store, 'texts');
  expect(await opened()).toEqual(before);
  expect(texts).toHaveBeenCalled();
  texts.mockRejectedValue(new Error('away'));
  const [trace, call] = [await app.anonymous.get(shared), await app.anonymous.get(`${shared}/spans/call`)];
  expect([trace.status, call.status, call.body.code]).toEqual([200, 503, 'texts_unavailable']);
});
