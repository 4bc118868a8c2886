import { Injectable } from '@nestjs/common';
import type { PlainList } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  deleteRows,
  fillPage,
  joinSql,
  rawSql,
  rowsFrom,
  sql,
  startOf,
  Storage,
  takeFitting,
  type Fetched,
  type LongReadOptions,
  type Page,
  type Sorting,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { CURRENT } from './datapoint-visibility.store.js';
import type { DatapointRow, DatasetImportRow } from './datapoint.entity.js';
import { datapointTable } from './tables.js';

/** Text of datapoints that one read brings into memory, about. */
const READ_BYTES = 16 * 1024 * 1024;

const IN_ORDER: Sorting = {
  list: 'datapoints',
  column: 'p.id',
  idColumn: 'p.id',
  type: 'text',
  nullable: false,
  order: 'asc',
};

const COLUMNS = datapointTable.select('p');

/** Bytes of the texts of a row of `datapoint p`, told without reading them. */
export const DATAPOINT_SIZE = rawSql('octet_length(p.kind) + coalesce(octet_length(p.result_output), 0)');

const ofDataset = (scope: Scope, datasetId: string): Sql =>
  sql`p.project_id = ${scope.projectId} and p.dataset_id = ${datasetId}`;

/** Rows of datapoints. */
@Injectable()
export class DatapointStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the datapoint as it is now, `undefined` when the dataset has none with this id. */
  async find(scope: Scope, datasetId: string, id: string): Promise<DatapointRow | undefined> {
    const [datapoint] = await this.storage.read<DatapointRow>(
      sql`select ${COLUMNS} from datapoint p where ${ofDataset(scope, datasetId)} and p.id = ${id} and ${CURRENT}`,
    );
    return datapoint;
  }

  /**
   * Current datapoints that are to be changed; the dataset is locked. A row of an import comes with the version that
   * published it as its `fromVersion`.
   */
  findForWrite(tx: WriteTx, scope: Scope, datasetId: string, ids: readonly string[]): Promise<DatapointRow[]> {
    return tx.all<DatapointRow>(
      sql`select ${COLUMNS} from datapoint p
        where ${ofDataset(scope, datasetId)} and ${anyOf('p.id', ids)} and ${CURRENT} order by p.id`,
    );
  }

  /** The import that brought a datapoint. */
  async importOf(tx: WriteTx, scope: Scope, importId: string): Promise<PublishedImport> {
    const [found] = await tx.all<PublishedImport>(
      sql`select published_version as "publishedVersion", unfinished, announced_through as "announcedThrough"
        from dataset_import where project_id = ${scope.projectId} and id = ${importId}`,
    );
    return found!;
  }

  /** A page of the current datapoints in the order they were made; it ends early when they are large. */
  list(
    scope: Scope,
    datasetId: string,
    { limit, cursor }: PlainList,
    options: LongReadOptions = {},
  ): Promise<Page<DatapointRow>> {
    return fillPage(
      IN_ORDER,
      startOf(IN_ORDER, cursor),
      limit,
      (part, from, count) => this.some(scope, datasetId, [CURRENT, behind(IN_ORDER, part, from)], count, options),
      ({ id }) => ({ value: id, id }),
    );
  }

  /** Datapoints behind `afterId` that hold a condition, in order: up to `limit`, as many as fit into memory. */
  async after(
    scope: Scope,
    datasetId: string,
    holds: Sql,
    afterId: string,
    limit: number,
    options: LongReadOptions = {},
  ): Promise<DatapointRow[]> {
    const { rows } = await this.some(scope, datasetId, [holds, sql`p.id > ${afterId}`], limit, options);
    return rows;
  }

  insert(tx: WriteTx, rows: readonly DatapointRow[]): Promise<void> {
    return tx.insert(datapointTable, rows);
  }

  /** Deletes one row; datapoints have one for every version that is kept. */
  async deleteRow(tx: WriteTx, { projectId, datasetId, id, fromVersion }: DatapointRow): Promise<void> {
    await tx.run(
      sql`delete from datapoint where project_id = ${projectId} and dataset_id = ${datasetId} and id = ${id}
        and from_version = ${fromVersion}`,
    );
  }

  /** Deletes all rows of a dataset; its imports first, so that none under way on another instance adds to it. */
  async deleteAll(tx: WriteTx, scope: Scope, datasetId: string): Promise<void> {
    await tx.run(sql`delete from dataset_import where project_id = ${scope.projectId} and dataset_id = ${datasetId}`);
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
   * Writes results of a run to current Generic datapoints; others are left alone. Raises no version (contract.md
   * "Datasets and datapoints").
   */
  async writeResults(tx: WriteTx, scope: Scope, datasetId: string, results: readonly DatapointResult[]): Promise<void> {
    if (results.length === 0) return;
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
        and datapoint.to_version is null and substr(datapoint.kind, 1, 10) = '{"Generic"'`,
    );
  }

  private async some(
    scope: Scope,
    datasetId: string,
    conditions: readonly Sql[],
    limit: number,
    options: LongReadOptions,
  ): Promise<Fetched<DatapointRow>> {
    const where = sql`${ofDataset(scope, datasetId)} and ${joinSql(conditions, ' and ')}`;
    for (let after = ''; ;) {
      const sized = await this.storage.readLong<{ id: string; bytes: number }>(
        sql`select p.id as id, ${DATAPOINT_SIZE} as bytes from datapoint p
          where ${where} and p.id > ${after} order by p.id limit ${limit}`,
        options,
      );
      const last = takeFitting(sized, READ_BYTES).at(-1)?.id;
      if (last === undefined) return { rows: [] };
      const rows = await this.storage.readLong<DatapointRow>(
        sql`select ${COLUMNS} from datapoint p where ${where} and p.id > ${after} and p.id <= ${last} order by p.id`,
        options,
      );
      // What was deleted in between is missing here; that does not mean that the list is at its end.
      if (rows.length > 0) return { rows, cut: rows.length < sized.length };
      after = last;
    }
  }
}

/** What a change must know of the import that brought a datapoint. */
export type PublishedImport = Pick<DatasetImportRow, 'unfinished' | 'announcedThrough'> & { publishedVersion: number };

/** What a run made of a datapoint. */
export interface DatapointResult {
  id: string;
  /** JSON string. */
  output: string;
  score: number | null;
  now: number;
}
