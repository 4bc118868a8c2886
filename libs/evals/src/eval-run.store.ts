import { Injectable } from '@nestjs/common';
import { isStorableText, type ListEvalRuns, type RunSortKey } from '@spandrel/contract';
import { projectScope, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  deleteRows,
  fillPage,
  forUpdateInOrder,
  IdOrder,
  integer,
  joinSql,
  orderBy,
  rawSql,
  readFitting,
  shapeOf,
  sql,
  startOf,
  Storage,
  type Fetched,
  type Page,
  type Position,
  type RowOfShape,
  type Selection,
  type Sorting,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { EvalRun, evalRunMetadataTable, evalRunTable, READ_BYTES, type EvalRunRow } from './eval-run.entity.js';
import {
  evalRunNotFound,
  listConnections,
  isDue,
  readMetadata,
  EXECUTION,
  RESULT_STATUS,
  RUN_STATUS,
} from './eval-run.js';

/** By the time of their start: an id may be the caller's own, which says nothing of when. */
const NEWEST_FIRST: Sorting = {
  list: 'eval-runs',
  column: 'r.created_at',
  idColumn: 'r.id',
  type: 'integer',
  nullable: false,
  order: 'desc',
};

/** How runs can be sorted. No index has these orders: a project has some thousand runs. */
const SORTED: Record<
  RunSortKey,
  Pick<Sorting, 'column' | 'type' | 'nullable'> & { valueOf(run: EvalRunRow): Position['value'] }
> = {
  created_at: { ...NEWEST_FIRST, valueOf: ({ createdAt }) => createdAt },
  name: { column: 'r.name', type: 'text', nullable: false, valueOf: ({ name }) => name },
  score: {
    column: '(r.score_sum / nullif(r.score_count, 0))',
    type: 'number',
    nullable: true,
    valueOf: ({ scoreSum, scoreCount }) => (scoreCount === 0 ? null : scoreSum / scoreCount),
  },
};

const OLDEST_FIRST = new IdOrder('scan-eval-runs', 'r.id', 'asc');

const COLUMNS = evalRunTable.select('r');
const KEY = evalRunTable.select('r', ['projectId', 'id']);
const ID = evalRunTable.select('r', ['id']);
const VERSION = evalRunTable.select('r', ['datasetVersion']);
const NEEDS = evalRunTable.select('r', ['connectionId', 'judgeConnectionId', 'scorers']);

const UNFINISHED = { status: { $lt: RUN_STATUS.completed } };

const SIZE = rawSql(
  `octet_length(r.config) + coalesce(octet_length(r.scoring_config), 0) + coalesce(octet_length(r.scorers), 0)
    + coalesce(octet_length(r.gates), 0) + coalesce(octet_length(r.metadata), 0)`,
);
/** What changes as a run goes on; no index has any of it. */
export const PROGRESS = [
  ...(['progress', 'failedCount', 'sampleProgress', 'failedSamples', 'scoreSum', 'scoreCount', 'totalTokens'] as const),
  ...(['costUsd', 'costPico', 'costCount', 'unpricedCount', 'judgeTokens', 'judgeCostUsd', 'judgeCostPico'] as const),
  ...(['judgeCostCount', 'judgeUnpricedCount', 'dearestUsd', 'dearestPico', 'running'] as const),
  ...(['unscored', 'resultAt', 'reusedSamples'] as const),
] satisfies (keyof EvalRunRow)[];

/** Counters of a run that follow from the rows of its items, and from those of its samples. */
const OF_ITEMS = shapeOf({ progress: integer(), failedCount: integer(), scoreCount: integer() });
const OF_SAMPLES = shapeOf({
  ...{ sampleProgress: integer(), failedSamples: integer(), totalTokens: integer(), costCount: integer() },
  ...{ unpricedCount: integer(), judgeTokens: integer(), judgeCostCount: integer(), judgeUnpricedCount: integer() },
  reusedSamples: integer(),
});
const FAILED = sql`count(case when status = ${RESULT_STATUS.failed} then 1 end)`;

const TABLES = ['eval_result', 'eval_sample', 'eval_attempt', 'eval_submission', 'eval_run_metadata'] as const;

const TAKE_MAX = 1_000;

/** Runs that are looked at for those to keep, and how many at a time. */
const LOOKED_AT_MAX = 1_000;
const KEPT_SLICE = 20;

@Injectable()
export class EvalRunStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the run, `null` when the project has none with this id. */
  find({ projectId }: Scope, id: string): Promise<EvalRunRow | null> {
    return this.storage.find((em) => em.findOne(EvalRun, { projectId, id }));
  }

  /** @throws NotFound */
  async get(scope: Scope, id: string): Promise<EvalRunRow> {
    const run = await this.find(scope, id);
    if (!run) throw evalRunNotFound();
    return run;
  }

  findAll({ projectId }: Scope, ids: readonly string[]): Promise<EvalRunRow[]> {
    return this.storage.find((em) => em.find(EvalRun, { projectId, id: { $in: [...ids] } }));
  }

  /** Runs that are to be changed, locked against other instances in the order of their ids. */
  findForWrite(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<EvalRunRow[]> {
    return tx.all(
      COLUMNS.query`select ${COLUMNS} from eval_run r
        where r.project_id = ${scope.projectId} and ${anyOf('r.id', ids)}${forUpdateInOrder('r', 'id')}`,
    );
  }

  /** A run that is to be changed. @throws NotFound */
  async getForWrite(tx: WriteTx, scope: Scope, id: string): Promise<EvalRunRow> {
    const [run] = await this.findForWrite(tx, scope, [id]);
    if (!run) throw evalRunNotFound();
    return run;
  }

  /**
   * Runs of one dataset or of all, newest first unless sorted otherwise; those alone that processed a datapoint, where one is given.
   * @param keep which of them to take; of the newest {@link LOOKED_AT_MAX} behind the cursor then. @throws Invalid `invalid_cursor`.
   */
  list(
    scope: Scope,
    { dataset_id: datasetId, datapoint_id: datapointId, ...filters }: ListEvalRuns & { datapoint_id?: string },
    keep?: (run: EvalRunRow) => boolean,
  ): Promise<Page<EvalRunRow>> {
    const conditions = [sql`r.project_id = ${scope.projectId}`];
    if (datasetId !== undefined) {
      conditions.push(isStorableText(datasetId) ? sql`r.dataset_id = ${datasetId}` : sql`1 = 0`);
    }
    if (datapointId !== undefined) {
      conditions.push(sql`exists (select 1 from eval_result e where e.project_id = r.project_id and e.run_id = r.id
        and e.datapoint_id = ${datapointId})`);
    }
    conditions.push(...buildConditions(scope, filters));
    const { sort_by: by = 'created_at', sort_order: order = 'desc' } = filters;
    const { valueOf, ...sorted } = SORTED[by];
    const isUsual = by === 'created_at' && order === 'desc';
    const sorting = isUsual ? NEWEST_FIRST : { ...NEWEST_FIRST, ...sorted, order, list: `eval-runs:${by}:${order}` };
    return fillPage(
      sorting,
      startOf(sorting, filters.cursor),
      filters.limit,
      async (part, from, count) => {
        const read = (behindOf: Position | undefined, limit: number) =>
          readFitting(COLUMNS, SIZE, limit, (columns, some) =>
            this.storage.readLong(
              columns.query`select ${columns} from eval_run r where ${joinSql(conditions, ' and ')}
              and ${behind(sorting, part, behindOf)} order by ${orderBy(sorting, part)} limit ${some}`,
              { orgId: scope.orgId },
            ),
          );
        return keep ? { rows: await takeKept(read, keep, from, count) } : read(from, count);
      },
      (run) => ({ value: valueOf(run), id: run.id }),
    );
  }

  /** Runs that were made up to a time (in ms) behind an id, in the order of their ids; none at the end. */
  async after(scope: Scope, madeThrough: number, afterId: string, limit: number): Promise<EvalRunRow[]> {
    const runs = {
      columns: COLUMNS,
      size: SIZE,
      bytesMax: READ_BYTES,
      select: <Row>(columns: Selection<Row>, rest: Sql) =>
        columns.query`select ${columns} from eval_run r
          where r.project_id = ${scope.projectId} and r.created_at <= ${madeThrough} and ${rest}`,
    };
    return (await OLDEST_FIRST.fitting(this.storage, runs, afterId, limit, scope)).rows;
  }

  async insert(tx: WriteTx, run: EvalRunRow): Promise<void> {
    await tx.insert(evalRunTable, [run]);
    await this.insertMetadata(tx, run);
  }

  async replace(tx: WriteTx, run: EvalRunRow): Promise<void> {
    await this.update(tx, run);
    await deleteRows(tx, 'eval_run_metadata', sql`project_id = ${run.projectId} and run_id = ${run.id}`);
    await this.insertMetadata(tx, run);
  }

  private insertMetadata(tx: WriteTx, run: EvalRunRow): Promise<void> {
    const { projectId, id: runId } = run;
    const texts = Object.entries(readMetadata(run));
    return tx.insert(
      evalRunMetadataTable,
      texts.map(([key, value]) => ({ projectId, runId, key, value })),
    );
  }

  /** Writes a run that has come to its end. */
  update(tx: WriteTx, run: EvalRunRow): Promise<void> {
    return tx.update(evalRunTable, [run]);
  }

  /**
   * Writes how far a run that goes on is, many times a second. SQLite rewrites the entries of an index whose columns an
   * update names, and with them a page each, whether they change or not.
   */
  updateProgress(tx: WriteTx, run: EvalRunRow): Promise<void> {
    return tx.update(evalRunTable, [run], PROGRESS);
  }

  /** Counts again, beside the requests, what the counters of a run say of its processed items and samples. */
  async recount({ projectId }: Scope, { id, repeats }: EvalRunRow): Promise<RunCounters> {
    const ofRun = sql`project_id = ${projectId} and run_id = ${id}`;
    const [[items], [samples]] = await Promise.all([
      this.storage.readLong(
        OF_ITEMS.query`select count(*) as progress, ${FAILED} as "failedCount", count(score) as "scoreCount"
          from eval_result where ${ofRun}`,
      ),
      this.storage.readLong(
        OF_SAMPLES.query`select count(*) as "sampleProgress", ${FAILED} as "failedSamples",
            cast(coalesce(sum(tokens), 0) as bigint) as "totalTokens", count(cost) as "costCount",
            count(case when tokens > 0 and cost is null then 1 end) as "unpricedCount",
            cast(coalesce(sum(judge_tokens), 0) as bigint) as "judgeTokens", count(judge_cost) as "judgeCostCount",
            count(case when judge_tokens > 0 and judge_cost is null then 1 end) as "judgeUnpricedCount",
            count(reused_run_id) as "reusedSamples"
          from ${rawSql(repeats === 1 ? 'eval_result' : 'eval_sample')} where ${ofRun}`,
      ),
    ]);
    return { ...items!, ...samples! };
  }

  async delete(tx: WriteTx, scope: Scope, id: string): Promise<void> {
    const ofRun = sql`project_id = ${scope.projectId} and run_id = ${id}`;
    for (const table of TABLES) await deleteRows(tx, table, ofRun);
    await tx.em.nativeDelete(EvalRun, { projectId: scope.projectId, id });
  }

  /** The dataset of a run, which never changes; the run is not locked. */
  async findDatasetId(tx: WriteTx, { projectId }: Scope, id: string): Promise<string | undefined> {
    const part = { fields: ['datasetId'], disableIdentityMap: true } as const;
    return (await tx.em.findOne(EvalRun, { projectId, id }, part))?.datasetId;
  }

  async idsForWrite(tx: WriteTx, scope: Scope, datasetId: string): Promise<string[]> {
    const rows = await tx.all(
      ID.query`select ${ID} from eval_run r
        where r.project_id = ${scope.projectId} and r.dataset_id = ${datasetId}${forUpdateInOrder('r', 'id')}`,
    );
    return rows.map(({ id }) => id);
  }

  async versionsOfDataset(tx: WriteTx, scope: Scope, datasetId: string): Promise<number[]> {
    const rows = await tx.all(
      VERSION.query`select distinct ${VERSION} from eval_run r
        where r.project_id = ${scope.projectId} and r.dataset_id = ${datasetId}`,
    );
    return rows.map(({ datasetVersion }) => datasetVersion);
  }

  /** Whether an unfinished run needs a connection, for itself or for one of its judges. */
  async usesConnection(tx: WriteTx, { projectId }: Scope, connectionId: string): Promise<boolean> {
    const rows = await tx.all(
      NEEDS.query`select ${NEEDS} from eval_run r
        where r.project_id = ${projectId} and r.status < ${RUN_STATUS.completed}
          and (r.connection_id = ${connectionId} or r.judge_connection_id = ${connectionId} or r.scorers is not null)`,
    );
    return rows.some((run) => listConnections(run).has(connectionId));
  }

  /**
   * Unfinished runs of all projects that nobody works on, but for external ones that wait for their callers (see `isDue`).
   * @param now in ms; leases until then have ended.
   */
  abandoned(now: number): Promise<RunKey[]> {
    return this.storage.read(
      KEY.query`select ${KEY} from eval_run r
        where r.status < ${RUN_STATUS.completed} and r.lease_until <= ${now}
          and (r.execution = ${EXECUTION.server} or r.unscored > 0 or r.closed_at is not null or r.progress >= r.total)
        order by r.id limit ${TAKE_MAX}`,
    );
  }

  /** Unfinished external runs of all projects that wait for their callers, and have got no results since a time (in ms). */
  idle(since: number): Promise<RunKey[]> {
    return this.storage.read(
      KEY.query`select ${KEY} from eval_run r
        where r.status < ${RUN_STATUS.completed} and r.execution = ${EXECUTION.external} and r.unscored = 0
          and r.closed_at is null and r.progress < r.total and coalesce(r.result_at, r.created_at) <= ${since}
        order by r.id limit ${TAKE_MAX}`,
    );
  }

  /** Keeps runs of an owner for longer. @param ids of any projects. */
  async renew(owner: string, ids: readonly string[], until: number): Promise<void> {
    if (ids.length === 0) return;
    await this.storage.write((tx) =>
      tx.em.nativeUpdate(EvalRun, { ...UNFINISHED, leaseOwner: owner, id: { $in: [...ids] } }, { leaseUntil: until }),
    );
  }

  /**
   * Lets an owner's run go, when it is unfinished and still the owner's.
   * @param from when it may be taken again, in ms. @returns whether it was, and there is more to do for it.
   */
  giveBack({ projectId, id }: RunKey, owner: string, from: number): Promise<boolean> {
    return this.storage.write(async (tx) => {
      const own = { projectId, id, ...UNFINISHED, leaseOwner: owner };
      const rows = await tx.em.nativeUpdate(EvalRun, own, { leaseOwner: null, leaseUntil: from });
      if (rows === 0) return false;
      const fields = ['execution', 'total', 'progress', 'unscored', 'closedAt'] as const;
      return isDue(await tx.em.findOneOrFail(EvalRun, { projectId, id }, { fields, disableIdentityMap: true }));
    });
  }

  /** Whether there is something to do for a run that nobody works on; results of it that are being written are waited for. */
  isLeftDue({ projectId, id }: RunKey): Promise<boolean> {
    return this.storage.write(async (tx) => {
      const [run] = await this.findForWrite(tx, projectScope(projectId), [id]);
      return run !== undefined && run.status < RUN_STATUS.completed && run.leaseOwner === null && isDue(run);
    });
  }

  /** Ends all leases: only where no other process can be at work. */
  async release(): Promise<void> {
    await this.storage.write((tx) => tx.em.nativeUpdate(EvalRun, UNFINISHED, { leaseOwner: null, leaseUntil: 0 }));
  }
}

const positionOf = ({ createdAt, id }: EvalRunRow): Position => ({ value: createdAt, id });

/** Reads on until there are `count` runs to keep; in small parts, since a run may have a long prompt. */
async function takeKept(
  read: (from: Position | undefined, limit: number) => Promise<Fetched<EvalRunRow>>,
  keep: (run: EvalRunRow) => boolean,
  from: Position | undefined,
  count: number,
): Promise<EvalRunRow[]> {
  const kept: EvalRunRow[] = [];
  let position = from;
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX && kept.length < count;) {
    const { rows: runs, cut } = await read(position, KEPT_SLICE);
    kept.push(...runs.filter(keep));
    if (!cut && runs.length < KEPT_SLICE) break;
    lookedAt += runs.length;
    position = positionOf(runs.at(-1)!);
  }
  return kept.slice(0, count);
}

function buildConditions({ projectId }: Scope, filters: Omit<ListEvalRuns, 'dataset_id'>): Sql[] {
  const { status, execution, passed, name, group_id: groupId, metadata = {} } = filters;
  const conditions: Sql[] = [];
  if (status !== undefined) conditions.push(sql`r.status = ${RUN_STATUS[status]}`);
  if (execution !== undefined) conditions.push(sql`r.execution = ${EXECUTION[execution]}`);
  if (passed !== undefined) conditions.push(sql`r.passed = ${Number(passed)}`);
  if (name !== undefined) conditions.push(isStorableText(name) ? sql`r.name = ${name}` : NONE);
  if (groupId !== undefined) conditions.push(isStorableText(groupId) ? sql`r.group_id = ${groupId}` : NONE);
  for (const [key, value] of Object.entries(metadata)) {
    const isStorable = isStorableText(key) && isStorableText(value);
    conditions.push(
      isStorable
        ? sql`exists (select 1 from eval_run_metadata m where m.project_id = ${projectId} and m.run_id = r.id
            and m.key = ${key} and m.value = ${value})`
        : NONE,
    );
  }
  return conditions;
}

const NONE = sql`1 = 0`;

type RunCounters = RowOfShape<typeof OF_ITEMS> & RowOfShape<typeof OF_SAMPLES>;

export type RunKey = RowOfShape<typeof KEY>;
