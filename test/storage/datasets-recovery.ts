import { describe, expect, it } from '@jest/globals';
import type { DatapointResource } from '@spandrel/contract';
import { sql, type StorageConfig } from '@spandrel/storage';
import { until } from '../support/spandrel.ts';
import { uploadRaw } from '../support/upload.ts';
import { startDatasetsServer, type DatasetsServer } from './datasets-server.ts';
import { anyRows } from '../support/any-rows.ts';

const COUNT = 650;
const FAR = Date.now() + 3_600_000;
const rows = Array.from({ length: COUNT }, (_, input) => `{"input":${input}}\n`).join('');

/** What a process that died in the middle of an import leaves, and what the next one does about it. */
export function datasetImportRecovery(newDatabase: () => Promise<StorageConfig>): void {
  describe('an import whose process has died', () => {
    it('is taken back when it was not published, and announced to the end when it was', async () => {
      const config = await newDatabase();
      let server = await startDatasetsServer(config);
      const [staged, published, alive] = [await server.create(), await server.create(), await server.create()];
      for (const id of [staged, published, alive]) await uploadRaw(server.url, id, 'application/x-ndjson', rows);
      const all = await server.datapoints(published);
      await until(() => created(server, published).length === COUNT);
      await unpublish(server, staged, 0);
      await unpublish(server, alive, FAR);
      // Announced up to the 400th; others came behind and between.
      await setImport(server, published, { through: all[399]!.id, lease: FAR });
      const path = `/api/datasets/${published}/datapoints`;
      const { body: later } = await server.api.post<DatapointResource>(path, { kind: { Generic: { input: 'later' } } });
      await server.api.send('PUT', `${path}/${all[100]!.id}`, { kind: { Generic: { input: 'changed' } } });
      await server.api.send('PUT', `${path}/${all[500]!.id}`, { kind: { Generic: { input: 'replaced' } } });
      await server.api.delete(`${path}/${all[600]!.id}`);
      const before = created(server, published).slice(COUNT);
      expect(before).toEqual([later, all[500]]);
      await setImport(server, published, { through: all[399]!.id, lease: 0 });
      await server.close();

      server = await startDatasetsServer(config);
      try {
        const rest = all.slice(400).filter((datapoint) => datapoint !== all[500] && datapoint !== all[600]);
        await until(() => created(server, published).length >= rest.length);
        await until(async () => (await unfinished(server, published)) === 0);
        expect(created(server, published)).toEqual(rest);
        await until(async () => (await server.rowsOf(staged)).imports === 0);
        expect(await server.rowsOf(staged)).toEqual({ datapoints: 0, imports: 0 });
        expect(await server.dataset(staged)).toMatchObject({ datapoint_count: 0 });
        // SQLite has no other process that could still be at it; on Postgres its lease has not run out.
        if (server.storage.exclusive) await until(async () => (await server.rowsOf(alive)).imports === 0);
        else expect(await server.rowsOf(alive)).toEqual({ datapoints: COUNT, imports: 1 });
      } finally {
        await server.close();
      }
    });
  });
}

const created = (server: DatasetsServer, id: string): DatapointResource[] =>
  server.eventsOf(id).flatMap((event) => (event.type === 'datapoint_created' ? [event.datapoint] : []));

/** Makes an import look as if its process had died before it was published. */
const unpublish = (server: DatasetsServer, id: string, lease: number): Promise<void> =>
  server.storage.write(async (tx) => {
    await tx.run(
      sql`update dataset_import set published_version = null, announced_through = null, unfinished = 1,
        lease_until = ${lease} where dataset_id = ${id}`,
    );
    await tx.run(sql`update dataset set datapoint_count = 0, version = 0 where id = ${id}`);
  });

const setImport = (server: DatasetsServer, id: string, { through, lease }: { through: string; lease: number }) =>
  server.storage.write((tx) =>
    tx.run(
      sql`update dataset_import set unfinished = 1, announced_through = ${through}, lease_until = ${lease}
        where dataset_id = ${id}`,
    ),
  );

async function unfinished(server: DatasetsServer, id: string): Promise<number> {
  const [row] = await server.storage.readLong(
    anyRows<{
      count: number;
    }>()`select count(*) as count from dataset_import where dataset_id = ${id} and unfinished = 1`,
  );
  return row!.count;
}
