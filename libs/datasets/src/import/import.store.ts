import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { integer, shapeOf, sql, Storage, text, type WriteTx } from '@spandrel/storage';
import { DATAPOINT_SIZE } from '../datapoint.store.js';
import { type DatasetImportRow, datapointTable, datasetImportTable } from '../datapoint.entity.js';

const IMPORT = datasetImportTable.select('i');
const DATAPOINT = datapointTable.select('p');
const ID = datapointTable.select('p', ['id', 'importId']);
const ANY = shapeOf({ id: text() });
const IMPORTED_ID = ID.and(shapeOf({ bytes: integer() }));

/** Rows of imports, and the datapoints that belong to them. */
@Injectable()
export class ImportStore {
  constructor(private readonly storage: Storage) {}

  insert(tx: WriteTx, row: DatasetImportRow): Promise<void> {
    return tx.insert(datasetImportTable, [row]);
  }

  /**
   * Writes what became of an import, if nobody else has taken it: its lease is still the one held.
   * @returns whether it was.
   */
  async replace(tx: WriteTx, held: DatasetImportRow, after: DatasetImportRow): Promise<boolean> {
    const changed = await tx.run(
      sql`update dataset_import set published_version = ${after.publishedVersion}, unfinished = ${after.unfinished},
        announced_through = ${after.announcedThrough}, lease_until = ${after.leaseUntil}
        where project_id = ${held.projectId} and id = ${held.id} and lease_until = ${held.leaseUntil} and unfinished = 1`,
    );
    return changed === 1;
  }

  /** Takes an import out, if it is still held. @returns whether it was. */
  async delete(tx: WriteTx, held: DatasetImportRow): Promise<boolean> {
    const deleted = await tx.run(
      sql`delete from dataset_import where project_id = ${held.projectId} and id = ${held.id}
        and lease_until = ${held.leaseUntil}`,
    );
    return deleted === 1;
  }

  /** Whether an import into a dataset, which is locked, was published behind a version. */
  async isAnySince(tx: WriteTx, { projectId }: Scope, datasetId: string, version: number): Promise<boolean> {
    const found = await tx.all(
      ANY.query`select i.id as id from dataset_import i where i.project_id = ${projectId}
        and i.dataset_id = ${datasetId} and i.published_version > ${version} limit 1`,
    );
    return found.length > 0;
  }

  /** Imports of all projects that nobody works on though they are unfinished. @param at epoch ms. */
  abandoned(at: number): Promise<DatasetImportRow[]> {
    return this.storage.read(
      IMPORT.query`select ${IMPORT} from dataset_import i where i.unfinished = 1 and i.lease_until < ${at}
        order by i.lease_until limit 100`,
    );
  }

  /** Current datapoints of a dataset behind `afterId`, in the order they were made, those of other origin among them. */
  ids(scope: Scope, datasetId: string, afterId: string, limit: number) {
    return this.storage.read(
      IMPORTED_ID.query`select ${ID}, ${DATAPOINT_SIZE} as bytes from datapoint p
        where p.project_id = ${scope.projectId} and p.dataset_id = ${datasetId} and p.id > ${afterId}
        and p.to_version is null order by p.id limit ${limit}`,
    );
  }

  /** The datapoints of an import in a range of ids, its end included. */
  datapoints(tx: WriteTx, { projectId, datasetId, id }: DatasetImportRow, afterId: string, throughId: string) {
    return tx.all(
      DATAPOINT.query`select ${DATAPOINT} from datapoint p where p.project_id = ${projectId} and p.dataset_id = ${datasetId}
        and p.id > ${afterId} and p.id <= ${throughId} and p.to_version is null and p.import_id = ${id} order by p.id`,
    );
  }

  /** Deletes the datapoints of an import in a range of ids, its end included. */
  async deleteDatapoints(
    tx: WriteTx,
    { projectId, datasetId, id }: DatasetImportRow,
    afterId: string,
    throughId: string,
  ): Promise<void> {
    await tx.run(
      sql`delete from datapoint where project_id = ${projectId} and dataset_id = ${datasetId}
        and id > ${afterId} and id <= ${throughId} and import_id = ${id}`,
    );
  }
}
