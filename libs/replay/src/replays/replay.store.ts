import { Injectable } from '@nestjs/common';
import {
  fromColumns,
  replaySchema,
  REPLAY_STATUSES,
  type ListReplays,
  type ReplayResource,
  type StartReplay,
} from '@spandrel/contract';
import { NotFound, type Scope } from '@spandrel/kernel';
import {
  fromJsonText,
  ProjectRows,
  rawSql,
  sql,
  Storage,
  toJsonText,
  type Page,
  type WriteTx,
} from '@spandrel/storage';
import { Replay, replayTable, type ReplayRow } from './replay.entity.js';

/** Statuses as the table holds them. */
export const REPLAY_STATUS = { preparing: 0, ready: 1, failed: 2 } as const;

/** What was decided of a request once its spans were chosen. */
export interface ReplayPlan {
  spanIds: readonly string[];
  model: string;
  /** The recorded model, where all spans have the same. */
  recordedModel: string | null;
  /** Dollars that all recorded calls cost, and the dearest one. */
  cost: { total: number; dearest: number };
}

/** Unfinished replays that are looked at in one go. */
const UNFINISHED_MAX = 20;

export const replayNotFound = (): NotFound =>
  new NotFound('replay_not_found', 'there is no replay with this id; GET /api/replays lists them');

@Injectable()
export class ReplayStore extends ProjectRows<ReplayRow> {
  constructor(storage: Storage) {
    const of = {
      entity: Replay,
      table: replayTable,
      list: 'replays',
      order: 'desc',
      notFound: replayNotFound,
    } as const;
    super(storage, { ...of, size: rawSql('octet_length(r.request) + octet_length(r.plan) + octet_length(r.counts)') });
  }

  /** Newest first. @throws Invalid `invalid_cursor`. */
  listOf(scope: Scope, { run_id: run, ...query }: ListReplays): Promise<Page<ReplayRow>> {
    const condition = run === undefined ? sql`1 = 1` : sql`(r.run_id = ${run} or r.baseline_run_id = ${run})`;
    return this.listWhere(scope, condition, query);
  }

  /** Replays of all projects that nobody prepares any more at a time. */
  unfinished(now: number): Promise<ReplayRow[]> {
    const where = { status: REPLAY_STATUS.preparing, leaseUntil: { $lte: now } };
    return this.storage.find((em) => em.find(Replay, where, { orderBy: { leaseUntil: 'asc' }, limit: UNFINISHED_MAX }));
  }

  /** The replay that a run has the recorded results of. */
  async findOfBaseline({ projectId }: Scope, baselineRunId: string): Promise<ReplayRow | null> {
    return this.storage.find((em) => em.findOne(Replay, { projectId, baselineRunId }));
  }

  /** Changes a replay that is being prepared. @returns whether it still is. */
  async change(scope: Scope, id: string, change: Partial<ReplayRow>): Promise<boolean> {
    return this.storage.write(async (tx) => {
      const row = await this.findForWrite(tx, scope, id);
      if (row?.status !== REPLAY_STATUS.preparing) return false;
      Object.assign(row, change);
      return true;
    });
  }

  /** Takes along what is kept of a dataset that is being deleted. */
  async deleteOf(tx: WriteTx, { projectId }: Scope, datasetId: string): Promise<void> {
    await tx.em.nativeDelete(Replay, { projectId, datasetId });
  }
}

export const planOf = ({ plan }: ReplayRow): ReplayPlan => fromJsonText(plan) as ReplayPlan;
export const requestOf = ({ request }: ReplayRow): StartReplay => fromJsonText(request) as StartReplay;

/** A stored replay as the wire shows it. */
export function replayResource(row: ReplayRow): ReplayResource {
  const { source, change } = requestOf(row);
  return fromColumns(replaySchema, row, {
    status: REPLAY_STATUSES[row.status] ?? 'failed',
    error: fromJsonText(row.error) as string | null,
    source: { ...source },
    change: { ...change },
    ...(fromJsonText(row.counts) as Pick<ReplayResource, 'matched' | 'taken' | 'left_out'>),
    replayed: planOf(row).spanIds.length,
  });
}

/** What is written of a replay that cannot be made. */
export const failed = (message: string): Partial<ReplayRow> => ({
  status: REPLAY_STATUS.failed,
  error: toJsonText(message),
  leaseUntil: 0,
});
