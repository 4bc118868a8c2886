import { Injectable } from '@nestjs/common';
import { exactJsonInPieces, parseWithSources, type DatapointKind, type SortOrder } from '@spandrel/contract';
import { inTurns, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  deleteRows,
  integer,
  joinSql,
  rawSql,
  shapeOf,
  sql,
  Storage,
  limitIdsBySize,
  type Selection,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { datapointKindInTurns, kindTexts } from '../datapoint-resource.js';
import { atVersion, DATAPOINT_READ_BYTES, DATAPOINT_SIZE, DatapointStore } from '../datapoint.store.js';
import { DatasetStore } from '../dataset.store.js';
import { datapointSelectionTable, datapointTable, type DatapointRow } from '../datapoint.entity.js';
import { largeRequestHash } from '@spandrel/tracing';

const COLUMNS = datapointTable.select('p');
const ID = datapointTable.select('p', ['id']);
const SIZED = ID.and(shapeOf({ bytes: integer() }));
const KIND = datapointTable.select('p', ['id', 'kind']);
const MISSING = shapeOf({ total: integer(), missing: integer() });
const COUNT = shapeOf({ count: integer() });

/** Bytes of kinds that are parsed in one go, about: some 5 ms. */
const KINDS_BYTES = 512 * 1024;

export interface Snapshot {
  datasetId: string;
  version: number;
  /** The selection whose datapoints alone are seen; without one all are. */
  selection?: string | null;
}

/** Whether the text of `datapoint p` has a part, in any place. */
const hasText = (part: string): Sql => sql`replace(p.kind, ${part}, '') <> p.kind`;

/** Whether `datapoint p` seems to have an expected value, or one that is `null`: kinds are stored as compact JSON. */
const hasExpected = (value: '' | 'null'): Sql => sql`(case when substr(p.kind, 1, 10) = '{"Generic"'
  then ${hasText(`"expected_output":${value}`)} else ${hasText(`"expected":${value}`)} end)`;

/**
 * The datapoints of a snapshot, from `datapoint p`. Whether one is selected is looked up row by row: a join could be begun with the
 * selection, and would go through all of it for every page.
 */
const seenBy = ({ version, selection = null }: Snapshot): Sql =>
  selection === null
    ? atVersion(version)
    : sql`${atVersion(version)} and (select 1 from datapoint_selection c where c.project_id = p.project_id
        and c.id = ${selection} and c.datapoint_id = p.id) = 1`;

const seenByAny = (snapshots: readonly Snapshot[]): Sql =>
  joinSql(
    snapshots.map((snapshot) => sql`(${seenBy(snapshot)})`),
    ' or ',
  );

export interface SnapshotDatapoint {
  id: string;
  kind: DatapointKind;
}

/** Snapshots whose datapoints are distinguished when one is let go; beyond, all closed rows are kept. */
const SNAPSHOTS_TOLD_APART = 300;

/** Datapoints whose kinds are compared in one go. */
const SLICE = 1_000;

/**
 * Snapshots of datasets (ADR 0007). Taking one writes a number and copies nothing: datapoints that change later keep the
 * rows that a snapshot sees.
 */
@Injectable()
export class DatasetSnapshots {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly storage: Storage,
  ) {}

  /**
   * Takes a snapshot of what the dataset holds now, in the caller's transaction; the dataset is locked until its end.
   * @returns its version and the number of its datapoints.
   * @throws NotFound `dataset_not_found`.
   */
  async take(tx: WriteTx, scope: Scope, datasetId: string): Promise<{ version: number; count: number }> {
    const dataset = await this.datasets.getForWrite(tx, scope, datasetId);
    dataset.pinnedVersion = dataset.version;
    return { version: dataset.version, count: dataset.datapointCount };
  }

  /**
   * Takes the snapshot of a version that was reached before, in the caller's transaction: from then on its datapoints are
   * kept. The next version counts as reached: it has what the dataset has now.
   * @param take called while the dataset is locked, with whether the dataset is there and has come to that version:
   *   makes what needs the snapshot, and returns whether there is such a thing.
   * @throws what `take` throws.
   */
  async takeAgain(
    tx: WriteTx,
    scope: Scope,
    { datasetId, version }: Snapshot,
    take: (isReached: boolean) => Promise<boolean>,
  ): Promise<void> {
    const dataset = await this.datasets.findForWrite(tx, scope, datasetId);
    const isReached = dataset !== null && dataset.version + 1 >= version;
    if (!(await take(isReached)) || !isReached) return;
    dataset.version = Math.max(dataset.version, version);
    dataset.pinnedVersion = Math.max(dataset.pinnedVersion, version);
  }

  /**
   * Lets snapshots go, in the caller's transaction.
   * @param letGo called while the dataset is locked, so that nobody takes a snapshot meanwhile: drops what needed the
   *   snapshots and returns the distinct versions that are still needed.
   * @throws what `letGo` throws.
   */
  async release(tx: WriteTx, scope: Scope, datasetId: string, letGo: () => Promise<readonly number[]>): Promise<void> {
    const dataset = await this.datasets.findForWrite(tx, scope, datasetId);
    const versionsLeft = await letGo();
    if (!dataset || versionsLeft.length > SNAPSHOTS_TOLD_APART) return;
    await this.datapoints.deleteUnseen(tx, scope, datasetId, versionsLeft);
    dataset.pinnedVersion = Math.max(0, ...versionsLeft);
  }

  /**
   * Ids of the datapoints that any of the snapshots of a dataset sees, behind `afterId` where it is given, in this order.
   * @param range `where` is another condition on `datapoint p`.
   */
  async idsOfAny(
    scope: Scope,
    snapshots: readonly Snapshot[],
    range: { afterId: string | undefined; order: SortOrder; limit: number; where?: Sql | undefined },
  ): Promise<string[]> {
    const { afterId, order, limit, where = sql`1 = 1` } = range;
    const beyond = rawSql(order === 'asc' ? '>' : '<');
    const bound = afterId === undefined ? sql`1 = 1` : sql`p.id ${beyond} ${afterId}`;
    const rows = await this.storage.readLong(
      ID.query`select distinct ${ID} from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${snapshots[0]!.datasetId} and ${bound} and (${seenByAny(snapshots)}) and ${where}
        order by p.id ${rawSql(order)} limit ${limit}`,
      scope,
    );
    return rows.map(({ id }) => id);
  }

  /** How many datapoints any of the snapshots of a dataset sees. */
  async countOfAny(scope: Scope, snapshots: readonly Snapshot[]): Promise<number> {
    const [row] = await this.storage.readLong(
      COUNT.query`select count(distinct p.id) as count from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${snapshots[0]!.datasetId} and (${seenByAny(snapshots)})`,
      scope,
    );
    return row!.count;
  }

  async present(scope: Scope, snapshot: Snapshot, ids: readonly string[]): Promise<Set<string>> {
    return new Set((await this.seen(ID, scope, snapshot, ids)).map(({ id }) => id));
  }

  /** Reads some datapoints as far as a snapshot sees them. */
  private seen<Row>(columns: Selection<Row>, scope: Scope, snapshot: Snapshot, ids: readonly string[]): Promise<Row[]> {
    return this.storage.readLong(
      columns.query`select ${columns} from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${snapshot.datasetId} and ${anyOf('p.id', ids)} and ${seenBy(snapshot)}`,
      scope,
    );
  }

  /** The first of the ids, in their order, whose datapoints fit into memory together. */
  async fitting(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    [size, bytesMax]: readonly [Sql, number] = [DATAPOINT_SIZE, DATAPOINT_READ_BYTES],
  ): Promise<string[]> {
    const sizes = await this.storage.readLong(
      SIZED.query`select ${ID}, ${size} as bytes from datapoint p where p.project_id = ${scope.projectId}
        and p.dataset_id = ${snapshot.datasetId} and ${anyOf('p.id', ids)} and ${seenBy(snapshot)}`,
      scope,
    );
    return limitIdsBySize(ids, sizes, bytesMax);
  }

  /**
   * How many datapoints a dataset has, and how many of them have no expected value; `null` is none. A member of that name
   * within others, such as metadata, passes for one.
   * @param among these datapoints alone, where they are given.
   */
  async countWithoutExpected(
    scope: Scope,
    snapshot: Snapshot,
    among?: readonly string[],
  ): Promise<{ count: number; total: number }> {
    const isAmong = among ? anyOf('p.id', among) : sql`1 = 1`;
    const [found] = await this.storage.readLong(
      MISSING.query`select count(*) as total, count(case when ${hasExpected('')} then null else 1 end) as missing
        from datapoint p where p.project_id = ${scope.projectId} and p.dataset_id = ${snapshot.datasetId}
          and ${seenBy(snapshot)} and ${isAmong}`,
      scope,
    );
    let { missing: count } = found!;
    for await (const ids of this.idSlices(scope, snapshot, sql`${isAmong} and ${hasExpected('null')}`)) {
      await this.each(scope, snapshot, ids, (_id, kind) => {
        if (!statesExpected(kind)) count++;
      });
    }
    return { count, total: found!.total };
  }

  /** Ids of the datapoints of a snapshot in order, some at a time. @param where another condition on `datapoint p`. */
  async *idSlices(scope: Scope, snapshot: Snapshot, where?: Sql): AsyncGenerator<string[], void> {
    for (let afterId: string | undefined; ;) {
      const ids = await this.idsOfAny(scope, [snapshot], { afterId, order: 'asc', limit: SLICE, where });
      yield ids;
      if (ids.length < SLICE) return;
      afterId = ids.at(-1);
    }
  }

  /**
   * Datapoints of a snapshot by their ids, which may be in any order.
   * @returns by id; and `read`, how many of the ids were looked at: as many as fit into memory, at least one.
   */
  async some(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
  ): Promise<{ datapoints: Map<string, SnapshotDatapoint>; read: number }> {
    const taken = await this.fitting(scope, snapshot, ids);
    const datapoints = await withKinds(await this.seen(COLUMNS, scope, snapshot, taken));
    return { datapoints: new Map(datapoints.map((datapoint) => [datapoint.id, datapoint])), read: taken.length };
  }

  /** Datapoints of a snapshot behind `afterId`, in order: up to `limit`, as many as fit into memory, none at the end. */
  async after(scope: Scope, snapshot: Snapshot, afterId: string, limit: number): Promise<SnapshotDatapoint[]> {
    const { datasetId } = snapshot;
    return withKinds(await this.datapoints.after(scope, datasetId, seenBy(snapshot), afterId, limit));
  }

  /** Keeps the datapoints of a new selection, in the caller's transaction. */
  async select(tx: WriteTx, { projectId }: Scope, id: string, datapointIds: readonly string[]): Promise<void> {
    for (let at = 0; at < datapointIds.length; at += SLICE) {
      const rows = datapointIds.slice(at, at + SLICE).map((datapointId) => ({ projectId, id, datapointId }));
      await tx.insert(datapointSelectionTable, rows);
    }
  }

  /** Forgets a selection, if it is there, in the caller's transaction. */
  async deselect(tx: WriteTx, { projectId }: Scope, id: string): Promise<void> {
    await deleteRows(tx, 'datapoint_selection', sql`project_id = ${projectId} and id = ${id}`);
  }

  /** The `metadata` of datapoints of a snapshot by their ids. @param ids in any order. */
  async metadata(scope: Scope, snapshot: Snapshot, ids: readonly string[]): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    await this.each(scope, snapshot, ids, async (id, kind) => void found.set(id, await metadataOf(kind)));
    return found;
  }

  /**
   * Goes over the `metadata` of all datapoints of a snapshot, `null` where one has none; others have their turn in between.
   * @param snapshot its version that of now when left out.
   */
  async eachMetadata(
    scope: Scope,
    { datasetId, version, selection }: Pick<Snapshot, 'datasetId'> & Partial<Snapshot>,
    take: (metadata: unknown) => void,
  ): Promise<void> {
    const current = version ?? (await this.datasets.find(scope, datasetId))?.version ?? 0;
    const snapshot = { datasetId, version: current, ...(selection && { selection }) };
    for await (const ids of this.idSlices(scope, snapshot)) {
      await this.each(scope, snapshot, ids, async (_id, kind) => take(await metadataOf(kind)));
    }
  }

  /**
   * The datapoints that two versions of a dataset have and that differ, in anything but `actual_output` and `score`. For the
   * others no more than a number is looked at: the row of a datapoint that nobody edited is the same one in both.
   */
  async changed(scope: Scope, datasetId: string, [one, other]: readonly [number, number]): Promise<Set<string>> {
    const changed = new Set<string>();
    if (one === other) return changed;
    const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
    // Datapoints that the earlier version sees in a row that the later one does not see any more.
    const isClosed = sql`p.to_version is not null and p.to_version <= ${later}`;
    for await (const ids of this.idSlices(scope, { datasetId, version: earlier }, isClosed)) {
      const before = await this.hashes(scope, { datasetId, version: earlier }, ids);
      const after = await this.hashes(scope, { datasetId, version: later }, ids);
      for (const [id, hash] of after) if (before.get(id) !== hash) changed.add(id);
    }
    return changed;
  }

  private async hashes(scope: Scope, snapshot: Snapshot, ids: readonly string[]): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    await this.each(scope, snapshot, ids, async (id, kind) => void hashes.set(id, await contentHash(kind)));
    return hashes;
  }

  /** Goes over the kinds of datapoints, without newer results of runs, few at a time: others have their turn in between. */
  private async each(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    take: (id: string, kind: string) => Promise<void> | void,
  ): Promise<void> {
    for (let left = ids; left.length > 0;) {
      const taken = await this.fitting(scope, snapshot, left, [rawSql('octet_length(p.kind)'), KINDS_BYTES]);
      for (const { id, kind } of await this.seen(KIND, scope, snapshot, taken)) await take(id, kind);
      left = left.slice(taken.length);
    }
  }
}

async function withKinds(rows: readonly DatapointRow[]): Promise<SnapshotDatapoint[]> {
  const datapoints: SnapshotDatapoint[] = [];
  for (const row of rows) datapoints.push({ id: row.id, kind: await datapointKindInTurns(row) });
  return datapoints;
}

/** The metadata of a datapoint, `null` where it has none; its other members are not read. @param kind as the row has it. */
function metadataOf(kind: string): Promise<unknown> {
  const { texts } = kindTexts({ kind, resultOutput: null, resultScore: null });
  return inTurns(exactJsonInPieces(texts.get('metadata') ?? 'null', Infinity, parseWithSources));
}

/** Whether a datapoint has an expected value. @param kind as the row has it. */
function statesExpected(kind: string): boolean {
  const { name, texts } = kindTexts({ kind, resultOutput: null, resultScore: null });
  return (texts.get(name === 'Generic' ? 'expected_output' : 'expected') ?? 'null') !== 'null';
}

/** Equal for contents that are, whatever the order of their members; others have their turn meanwhile. @param kind as the row has it. */
export async function contentHash(kind: string): Promise<string> {
  const whole = await datapointKindInTurns({ kind, resultOutput: null, resultScore: null });
  return largeRequestHash(contentOf('Generic' in whole ? { ...whole.Generic } : { ...whole.LlmConversation }));
}

/** What a datapoint is, without the result of a run. @param variant its members. */
export function contentOf(variant: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { actual_output: _output, score: _score, ...content } = variant;
  return content;
}
