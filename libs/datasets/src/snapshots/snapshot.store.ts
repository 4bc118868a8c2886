import { Injectable } from '@nestjs/common';
import type { SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  joinSql,
  rawSql,
  shapeOf,
  sql,
  Storage,
  limitIdsBySize,
  type LongReadOptions,
  type Sql,
} from '@spandrel/storage';
import { atVersion, DATAPOINT_READ_BYTES, DATAPOINT_SIZE, DatapointStore } from '../datapoint.store.js';
import { type DatapointRow, datapointTable } from '../datapoint.entity.js';

const ID = datapointTable.select('p', ['id']);
const SIZED = ID.and(shapeOf({ bytes: integer() }));
const KIND = datapointTable.select('p', ['id', 'kind']);
const COUNT = shapeOf({ count: integer() });

/** Bytes of kinds that are parsed in one go, about: some 5 ms. */
const KINDS_BYTES = 512 * 1024;

/** Bytes of a datapoint's kind, found without reading it. */
const KIND_SIZE = rawSql('octet_length(p.kind)');

/** A dataset as it was at a version. */
export interface Snapshot {
  datasetId: string;
  version: number;
}

/** A stretch of ids in order. */
export interface IdRange {
  /** Where it begins; at the first, or in descending order at the last, when left out. */
  afterId: string | undefined;
  order: SortOrder;
  limit: number;
}

const seenByAny = (versions: readonly number[]): Sql =>
  joinSql(
    versions.map((version) => sql`(${atVersion(version)})`),
    ' or ',
  );

/** Rows of datapoints as a version of their dataset sees them. */
@Injectable()
export class SnapshotStore {
  constructor(
    private readonly storage: Storage,
    private readonly datapoints: DatapointStore,
  ) {}

  /** Ids of the datapoints that any of the versions sees, behind `afterId` where it is given, in order. */
  async idsOfAny(
    scope: Scope,
    datasetId: string,
    versions: readonly number[],
    { afterId, order, limit }: IdRange,
    options: LongReadOptions,
  ): Promise<string[]> {
    const beyond = rawSql(order === 'asc' ? '>' : '<');
    const bound = afterId === undefined ? sql`1 = 1` : sql`p.id ${beyond} ${afterId}`;
    const rows = await this.storage.readLong(
      ID.query`select distinct ${ID} from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${datasetId} and ${bound} and (${seenByAny(versions)})
        order by p.id ${rawSql(order)} limit ${limit}`,
      options,
    );
    return rows.map(({ id }) => id);
  }

  /** How many datapoints any of the versions sees. */
  async countOfAny(
    scope: Scope,
    datasetId: string,
    versions: readonly number[],
    options: LongReadOptions,
  ): Promise<number> {
    const [row] = await this.storage.readLong(
      COUNT.query`select count(distinct p.id) as count from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${datasetId} and (${seenByAny(versions)})`,
      options,
    );
    return row!.count;
  }

  /** Which of the ids are datapoints of a version. */
  async present(
    scope: Scope,
    { datasetId, version }: Snapshot,
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<Set<string>> {
    const rows = await this.storage.readLong(
      ID.query`select ${ID} from datapoint p where p.project_id = ${scope.projectId} and p.dataset_id = ${datasetId}
        and ${anyOf('p.id', ids)} and ${atVersion(version)}`,
      options,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The first of the ids, in their order, whose datapoints fit into memory together. */
  async fitting(
    scope: Scope,
    { datasetId, version }: Snapshot,
    ids: readonly string[],
    options: LongReadOptions,
    [size, bytesMax]: readonly [Sql, number] = [DATAPOINT_SIZE, DATAPOINT_READ_BYTES],
  ): Promise<string[]> {
    const sizes = await this.storage.readLong(
      SIZED.query`select ${ID}, ${size} as bytes from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${datasetId} and ${anyOf('p.id', ids)} and ${atVersion(version)}`,
      options,
    );
    return limitIdsBySize(ids, sizes, bytesMax);
  }

  /**
   * The kinds of datapoints of a version, without newer results of runs, few enough to be parsed by the way.
   * @returns rows in any order; and `read`, how many of the ids were looked at, at least one.
   */
  async kinds(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<{ rows: { id: string; kind: string }[]; read: number }> {
    const taken = await this.fitting(scope, snapshot, ids, options, [KIND_SIZE, KINDS_BYTES]);
    const rows = await this.storage.readLong(
      KIND.query`select ${KIND} from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${snapshot.datasetId} and ${anyOf('p.id', taken)} and ${atVersion(snapshot.version)}`,
      options,
    );
    return { rows, read: taken.length };
  }

  /** Datapoints that a version sees in a row that a later version does not see any more, behind an id, in order. */
  async idsClosed(
    scope: Scope,
    datasetId: string,
    { earlier, later }: { earlier: number; later: number },
    { afterId, limit }: { afterId: string; limit: number },
    options: LongReadOptions,
  ): Promise<string[]> {
    const rows = await this.storage.readLong(
      ID.query`select ${ID} from datapoint p where p.project_id = ${scope.projectId} and p.dataset_id = ${datasetId}
        and p.id > ${afterId} and p.to_version is not null and p.to_version <= ${later} and ${atVersion(earlier)}
        order by p.id limit ${limit}`,
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
