import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isStorableText } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  deleteRows,
  IdOrder,
  joinSql,
  rawSql,
  rowsFrom,
  sql,
  Storage,
  type Selection,
  type SizedRows,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import {
  Datapoint,
  DatasetImport,
  type DatapointRow,
  type DatasetImportRow,
  datapointTable,
} from './datapoint.entity.js';
import type { DatasetRow } from './dataset.entity.js';

/** Text of datapoints that one read brings into memory, about. */
export const DATAPOINT_READ_BYTES = 16 * 1024 * 1024;

const IN_ORDER = new IdOrder('datapoints', 'p.id', 'asc');

const COLUMNS = datapointTable.select('p');
const ID = datapointTable.select('p', ['id']);
const OF_SPAN = datapointTable.select('p', ['id', 'sourceSpanId']);

/** Datapoints that were made from spans which are read at once. */
const MADE_FROM = 500;

/** Bytes of the texts of a row of `datapoint p`, found without reading them. */
export const DATAPOINT_SIZE = rawSql('octet_length(p.kind) + coalesce(octet_length(p.result_output), 0)');

/** The version since which a current row of `datapoint` counts: those of an import count from its publication. */
const SINCE = rawSql(`coalesce((select i.published_version from dataset_import i
  where i.project_id = datapoint.project_id and i.id = datapoint.import_id), datapoint.from_version)`);

const TAKES_RESULTS = rawSql(`datapoint.to_version is null and substr(datapoint.kind, 1, 10) = '{"Generic"'`);

/** Rows that one statement takes out of a dataset; on SQLite it holds up the event loop. */
const ROWS_PER_STATEMENT = 200;

const ofDataset = (scope: Scope, datasetId: string): Sql =>
  sql`p.project_id = ${scope.projectId} and p.dataset_id = ${datasetId}`;

const SIZED = { columns: COLUMNS, size: DATAPOINT_SIZE, bytesMax: DATAPOINT_READ_BYTES };

const datapointsOf = (scope: Scope, datasetId: string, holds: Sql): SizedRows<DatapointRow> => ({
  ...SIZED,
  select: (columns, rest) =>
    columns.query`select ${columns} from datapoint p where ${ofDataset(scope, datasetId)} and ${holds} and ${rest}`,
});

const currentForWrite = <Row>(
  tx: WriteTx,
  columns: Selection<Row>,
  scope: Scope,
  datasetId: string,
  ids: readonly string[],
): Promise<Row[]> =>
  tx.all(
    columns.query`select ${columns} from datapoint p
      where ${ofDataset(scope, datasetId)} and ${anyOf('p.id', ids)} and ${CURRENT} order by p.id`,
  );

@Injectable()
export class DatapointStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the datapoint as it is now, `undefined` when the dataset has none with this id. */
  async find(scope: Scope, datasetId: string, id: string): Promise<DatapointRow | undefined> {
    const [datapoint] = await this.storage.read(
      COLUMNS.query`select ${COLUMNS} from datapoint p where ${ofDataset(scope, datasetId)} and p.id = ${id} and ${CURRENT}`,
    );
    return datapoint;
  }

  /** Current datapoints that are to be changed; the dataset is locked. */
  findForWrite(tx: WriteTx, scope: Scope, datasetId: string, ids: readonly string[]): Promise<DatapointRow[]> {
    return currentForWrite(tx, COLUMNS, scope, datasetId, ids);
  }

  async idsForWrite(tx: WriteTx, scope: Scope, datasetId: string, ids: readonly string[]): Promise<string[]> {
    const rows = await currentForWrite(tx, ID, scope, datasetId, ids.filter(isStorableText));
    return rows.map(({ id }) => id);
  }

  /** The datapoints of now that were made from some spans. @returns the id of the first one by that of its span. */
  async findOfSpans(scope: Scope, datasetId: string, spanIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.storage.read(
      OF_SPAN.query`select ${OF_SPAN} from datapoint p where ${ofDataset(scope, datasetId)}
        and ${anyOf('p.source_span_id', spanIds.filter(isStorableText))} and ${CURRENT} order by p.id desc`,
    );
    return new Map(rows.map(({ id, sourceSpanId }) => [sourceSpanId!, id]));
  }

  /** The datapoints of now, of all datasets, that were made from some spans, as many at a time as fit into memory. */
  async *madeFrom(scope: Scope, spanIds: readonly string[]): AsyncGenerator<DatapointRow[], void> {
    const datapoints: SizedRows<DatapointRow> = {
      ...SIZED,
      select: (columns, rest) =>
        columns.query`select ${columns} from datapoint p where p.project_id = ${scope.projectId}
          and ${anyOf('p.source_span_id', spanIds)} and ${CURRENT} and ${rest}`,
    };
    for (let after: string | undefined; ;) {
      const { rows } = await IN_ORDER.fitting(this.storage, datapoints, after, MADE_FROM, scope);
      if (rows.length === 0) return;
      yield rows;
      after = rows.at(-1)!.id;
    }
  }

  /** The import that brought a datapoint. */
  importOf(tx: WriteTx, { projectId }: Scope, importId: string): Promise<DatasetImportRow> {
    return tx.em.findOneOrFail(DatasetImport, { projectId, id: importId });
  }

  /** Datapoints behind `afterId` that hold a condition, in order: up to `limit`, as many as fit into memory. */
  async after(scope: Scope, datasetId: string, holds: Sql, afterId: string, limit: number): Promise<DatapointRow[]> {
    const datapoints = datapointsOf(scope, datasetId, holds);
    const { rows } = await IN_ORDER.fitting(this.storage, datapoints, afterId, limit, scope);
    return rows;
  }

  insert(tx: WriteTx, rows: readonly DatapointRow[]): Promise<void> {
    return tx.insert(datapointTable, rows);
  }

  /** Writes what shows the newest result of a run. */
  updateResult(tx: WriteTx, row: DatapointRow): Promise<void> {
    return tx.update(datapointTable, [row], ['kind', 'resultOutput', 'resultScore', 'updatedAt']);
  }

  /** Deletes one row; datapoints have one for every version that is kept. */
  async deleteRow(tx: WriteTx, { projectId, datasetId, id, fromVersion }: DatapointRow): Promise<void> {
    await tx.em.nativeDelete(Datapoint, { projectId, datasetId, id, fromVersion });
  }

  /**
   * Takes current datapoints of a locked dataset out of it, without reading them: rows that a snapshot may need are closed
   * and stay, the others are deleted.
   * @param toVersion the version of the dataset that has them no more.
   */
  async retire(
    tx: WriteTx,
    { projectId, id: datasetId, pinnedVersion }: Pick<DatasetRow, 'projectId' | 'id' | 'pinnedVersion'>,
    ids: readonly string[],
    toVersion: number,
  ): Promise<void> {
    for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
      const some = anyOf('id', ids.slice(at, at + ROWS_PER_STATEMENT));
      const rows = sql`project_id = ${projectId} and dataset_id = ${datasetId} and ${some} and to_version is null`;
      await tx.run(sql`delete from datapoint where ${rows} and ${SINCE} > ${pinnedVersion}`);
      await tx.run(
        sql`update datapoint set from_version = ${SINCE}, import_id = null, to_version = ${toVersion} where ${rows}`,
      );
      await nextTurn();
    }
  }

  /** Deletes all rows of a dataset; its imports first, so that none under way on another instance adds to it. */
  async deleteAll(tx: WriteTx, scope: Scope, datasetId: string): Promise<void> {
    await tx.em.nativeDelete(DatasetImport, { projectId: scope.projectId, datasetId });
    await deleteRows(tx, 'datapoint', sql`project_id = ${scope.projectId} and dataset_id = ${datasetId}`);
  }

  /** Deletes closed rows that none of the versions sees. */
  async deleteUnseen(tx: WriteTx, scope: Scope, datasetId: string, versions: readonly number[]): Promise<void> {
    const seen = versions.map((version) => sql`(from_version <= ${version} and to_version > ${version})`);
    const unseen = seen.length === 0 ? rawSql('1 = 1') : sql`not (${joinSql(seen, ' or ')})`;
    await deleteRows(
      tx,
      'datapoint',
      sql`project_id = ${scope.projectId} and dataset_id = ${datasetId} and to_version is not null and ${unseen}`,
    );
  }

  /**
   * Writes results of a run to current Generic datapoints; others are left alone. Raises no version
   * (docs/spec/evaluations.md#results-on-datapoints).
   */
  async writeResults(tx: WriteTx, scope: Scope, datasetId: string, results: readonly DatapointResult[]): Promise<void> {
    if (results.length === 0) return;
    if (tx.dialect === 'sqlite') {
      // A prepared statement for each row takes less than half of what a list of values does, which it would parse.
      for (const { id, output, score, now } of results) {
        await tx.run(
          sql`update datapoint set result_output = ${output}, result_score = ${score}, updated_at = ${now}
            where project_id = ${scope.projectId} and dataset_id = ${datasetId} and id = ${id} and ${TAKES_RESULTS}`,
        );
      }
      return;
    }
    const ids = results.map(({ id }) => id);
    const written = rowsFrom('w', {
      id: { type: 'text', values: ids },
      output: { type: 'text', values: results.map(({ output }) => output) },
      score: { type: 'number', values: results.map(({ score }) => score) },
      now: { type: 'number', values: results.map(({ now }) => now) },
    });
    await tx.run(
      sql`with r as materialized (select * from ${written})
        update datapoint set result_output = r.output, result_score = r.score, updated_at = r.now from r
        where datapoint.project_id = ${scope.projectId} and datapoint.dataset_id = ${datasetId}
        and ${anyOf('datapoint.id', ids)} and datapoint.id = r.id
        and ${TAKES_RESULTS}`,
    );
  }
}

export interface DatapointResult {
  id: string;
  /** JSON string. */
  output: string;
  score: number | null;
  now: number;
}

/** The datapoints of now, from `datapoint p`: current rows, those of an import once it is published. */
export const CURRENT: Sql = sql`p.to_version is null and (p.import_id is null or exists (
  select 1 from dataset_import i
  where i.project_id = p.project_id and i.id = p.import_id and i.published_version is not null))`;

/** The datapoints of a version of the dataset, from `datapoint p`. */
export const atVersion = (version: number): Sql => sql`(p.to_version is null or p.to_version > ${version})
  and p.from_version <= ${version} and (p.import_id is null or exists (
    select 1 from dataset_import i
    where i.project_id = p.project_id and i.id = p.import_id and i.published_version <= ${version}))`;
