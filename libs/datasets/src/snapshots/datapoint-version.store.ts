import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  PairOrder,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  text,
  type RowOfShape,
  type Selection,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { type DatapointRow, datapointTable } from '../datapoint.entity.js';
import { DATAPOINT_READ_BYTES, DATAPOINT_SIZE, CURRENT } from '../datapoint.store.js';

const IN_ORDER = new PairOrder('p.id', 'p.from_version');

const COLUMNS = datapointTable.select('p');

/** The version since which a datapoint is as it is. */
const SINCE = shapeOf({ id: text(), version: integer() });
export type DatapointSince = RowOfShape<typeof SINCE>;

/** Rows of datapoints with the versions that see them, for exports and imports of what eval runs saw. */
@Injectable()
export class DatapointVersionStore {
  constructor(private readonly storage: Storage) {}

  /** Rows of datapoints that are not as they were any more, in the order of id and version; none at the end. */
  closedAfter(
    scope: Scope,
    datasetId: string,
    after: DatapointRow | undefined,
    limit: number,
  ): Promise<DatapointRow[]> {
    const closed = {
      columns: COLUMNS,
      size: DATAPOINT_SIZE,
      bytesMax: DATAPOINT_READ_BYTES,
      select: <Row>(columns: Selection<Row>, rest: Sql) =>
        columns.query`select ${columns} from datapoint p
          where p.project_id = ${scope.projectId} and p.dataset_id = ${datasetId} and p.to_version is not null and ${rest}`,
    };
    const from = after && { first: after.id, second: after.fromVersion };
    return IN_ORDER.fitting(this.storage, closed, from, limit, scope);
  }

  /** Current datapoints behind an id, in the order of their ids; none at the end. */
  currentAfter(scope: Scope, datasetId: string, afterId: string, limit: number): Promise<DatapointSince[]> {
    return this.storage.readLong(
      SINCE.query`select p.id as id, coalesce(i.published_version, p.from_version) as version from datapoint p
        left join dataset_import i on i.project_id = p.project_id and i.id = p.import_id
        where p.project_id = ${scope.projectId} and p.dataset_id = ${datasetId} and p.id > ${afterId} and ${CURRENT}
        order by p.id limit ${limit}`,
      scope,
    );
  }

  /** All rows of some datapoints, but for imports that are not published; the dataset is locked. */
  findForWrite(tx: WriteTx, scope: Scope, datasetId: string, ids: readonly string[]): Promise<DatapointRow[]> {
    return tx.all(
      COLUMNS.query`select ${COLUMNS} from datapoint p
        where p.project_id = ${scope.projectId} and p.dataset_id = ${datasetId} and ${anyOf('p.id', ids)}
        and (p.to_version is not null or ${CURRENT}) order by p.id, p.from_version`,
    );
  }

  /** Sets since when current datapoints are as they are. */
  async setSince(tx: WriteTx, scope: Scope, datasetId: string, since: readonly DatapointSince[]): Promise<void> {
    if (since.length === 0) return;
    const ids = since.map(({ id }) => id);
    const values = rowsFrom('w', {
      id: { type: 'text', values: ids },
      version: { type: 'number', values: since.map(({ version }) => version) },
    });
    await tx.run(
      sql`with r as materialized (select * from ${values})
        update datapoint set from_version = r.version from r
        where datapoint.project_id = ${scope.projectId} and datapoint.dataset_id = ${datasetId}
        and ${anyOf('datapoint.id', ids)} and datapoint.id = r.id and datapoint.to_version is null`,
    );
  }
}
