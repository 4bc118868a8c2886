import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { integer, joinSql, shapeOf, sql, Storage, type LongReadOptions } from '@spandrel/storage';
import { atVersion } from './datapoint-visibility.sql.js';
import type { DatapointRow } from '../datapoint.entity.js';
import { datapointTable } from '../tables.js';
import { DatapointStore } from '../datapoint.store.js';

const ID = datapointTable.select('p', ['id']);
const COUNT = shapeOf({ count: integer() });

/** A dataset as it was at a version. */
export interface Snapshot {
  datasetId: string;
  version: number;
}

/** Rows of datapoints as a version of their dataset sees them. */
@Injectable()
export class SnapshotStore {
  constructor(
    private readonly storage: Storage,
    private readonly datapoints: DatapointStore,
  ) {}

  /** Ids of the datapoints that any of the versions sees, behind `afterId`, in order. */
  async idsOfAny(
    scope: Scope,
    datasetId: string,
    versions: readonly number[],
    afterId: string,
    limit: number,
    options: LongReadOptions,
  ): Promise<string[]> {
    const seen = joinSql(
      versions.map((version) => sql`(${atVersion(version)})`),
      ' or ',
    );
    const rows = await this.storage.readLong(
      ID.query`select distinct ${ID} from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${datasetId} and p.id > ${afterId} and (${seen}) order by p.id limit ${limit}`,
      options,
    );
    return rows.map(({ id }) => id);
  }

  /** How many datapoints a version has. */
  async count(scope: Scope, { datasetId, version }: Snapshot): Promise<number> {
    const [row] = await this.storage.readLong(
      COUNT.query`select count(*) as count from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${datasetId} and ${atVersion(version)}`,
    );
    return row!.count;
  }

  after(
    scope: Scope,
    { datasetId, version }: Snapshot,
    afterId: string,
    limit: number,
    options: LongReadOptions,
  ): Promise<DatapointRow[]> {
    return this.datapoints.after(scope, datasetId, atVersion(version), afterId, limit, options);
  }

  among(
    scope: Scope,
    { datasetId, version }: Snapshot,
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<{ rows: DatapointRow[]; through: string | undefined }> {
    return this.datapoints.among(scope, datasetId, atVersion(version), ids, options);
  }
}
