import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ChangeDatasets, DatasetParticipants } from '@spandrel/datasets';
import { EvalRunStore, readGates, RUN_STATUS, RunParticipants, SetGates } from '@spandrel/evals';
import type { Gate } from '@spandrel/contract';
import {
  BackgroundTasks,
  Conflict,
  Invalid,
  LOGGER,
  NotFound,
  projectScope,
  type Logger,
  type Scope,
} from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { LEASE_MS, leaseUntil, PrepareReplay } from './prepare-replay.js';
import type { ReplayRow } from './replay.entity.js';
import { failed, REPLAY_STATUS, ReplayStore } from './replay.store.js';

/** How often replays are looked for whose process has died. */
const SWEEP_MS = 30_000;
/** How often a replay is looked at that another process prepares. */
const LOOK_MS = 200;

const keyOf = ({ projectId, id }: Pick<ReplayRow, 'projectId' | 'id'>): string => `${projectId} ${id}`;

/** Another request for the same replay has met the fault, too. */
function ifGone(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}

/** Whether the same request would meet the same fault again. */
const isFaultOfRequest = (error: unknown): boolean =>
  [Invalid, NotFound, Conflict].some((kind) => error instanceof kind);

/** Sees to it that every replay comes to its end, whatever happens to the process that began it. */
@Injectable()
export class ReplayUpkeep implements OnModuleInit {
  private readonly own = new Map<string, { row: ReplayRow; underWay: Promise<void> }>();

  constructor(
    private readonly storage: Storage,
    private readonly replays: ReplayStore,
    private readonly prepares: PrepareReplay,
    private readonly changes: ChangeDatasets,
    private readonly datasets: DatasetParticipants,
    private readonly participants: RunParticipants,
    private readonly runs: EvalRunStore,
    private readonly gates: SetGates,
    @Inject(LOGGER) private readonly logger: Logger,
    tasks: BackgroundTasks,
  ) {
    // Where nobody else uses the database, no lease of a process before this one is worth waiting for.
    let at = (): number => (storage.exclusive ? Number.MAX_SAFE_INTEGER : Date.now());
    tasks.add({
      everyMs: SWEEP_MS,
      firstMs: 0,
      task: async (stopped) => {
        const due = await this.replays.unfinished(at());
        at = Date.now;
        for (const row of due) if (!stopped.aborted && (await this.claim(row))) await this.resume(row);
      },
      failure: 'unfinished replays cannot be looked up now',
    });
    // Ten thousand long calls take longer than a lease.
    tasks.add({
      everyMs: LEASE_MS / 4,
      task: async () => {
        for (const { row } of this.own.values())
          await this.replays.change(projectScope(row.projectId), row.id, { leaseUntil: leaseUntil() });
      },
      failure: 'leases of replays cannot be renewed now',
    });
  }

  onModuleInit(): void {
    this.datasets.register({
      name: 'replays',
      beforeDatasetDelete: (tx, { scope, datasetId }) => this.replays.deleteOf(tx, scope, datasetId),
    });
    this.participants.onCompleted((scope, runId) => void this.judgeAgain(scope, runId));
  }

  /**
   * Prepares a replay to its end; nothing happens to one that is. One that another request or process prepares is waited for; a
   * fault that it meets takes it away.
   * @param isNew whether nobody else can be at it.
   * @throws what stands in its way. Where that is a fault of the request nothing is left of the replay.
   */
  async prepare(scope: Scope, row: ReplayRow, isNew: boolean): Promise<void> {
    if (row.status !== REPLAY_STATUS.preparing) return;
    try {
      await (isNew ? this.run(scope, row) : this.join(scope, row));
    } catch (error) {
      if (isFaultOfRequest(error)) await this.changes.delete(scope, row.datasetId).catch(ifGone);
      else await this.replays.change(scope, row.id, { leaseUntil: 0 }).catch(() => false);
      throw error;
    }
  }

  /** Prepares a replay; all who ask for the same one meanwhile wait for the same work. */
  private run(scope: Scope, row: ReplayRow): Promise<void> {
    const key = keyOf(row);
    const known = this.own.get(key);
    if (known) return known.underWay;
    const underWay = this.prepares.execute(scope, row).finally(() => this.own.delete(key));
    this.own.set(key, { row, underWay });
    return underWay;
  }

  /** Waits until a replay that was there is prepared, or is gone; prepares it where nobody else does. */
  private async join(scope: Scope, row: ReplayRow): Promise<void> {
    while (!this.own.has(keyOf(row))) {
      const now = await this.replays.find(scope, row.id);
      if (now?.status !== REPLAY_STATUS.preparing) return;
      if (now.leaseUntil <= Date.now() && (await this.claim(now))) break;
      await sleep(LOOK_MS);
    }
    await this.run(scope, row);
  }

  private async claim(claimed: ReplayRow): Promise<boolean> {
    if (this.own.has(keyOf(claimed))) return false;
    const { projectId, id, leaseUntil: before } = claimed;
    const scope = projectScope(projectId);
    return this.storage.write(async (tx) => {
      const row = await this.replays.findForWrite(tx, scope, id);
      if (row?.status !== REPLAY_STATUS.preparing || row.leaseUntil !== before) return false;
      row.leaseUntil = leaseUntil();
      return true;
    });
  }

  /** Goes on with a replay that nobody waits for any more. */
  private async resume(row: ReplayRow): Promise<void> {
    const scope = projectScope(row.projectId);
    try {
      await this.run(scope, row);
    } catch (error) {
      this.logger.warn({ err: error, replay_id: row.id }, 'a replay cannot be prepared');
      if (isFaultOfRequest(error)) await this.replays.change(scope, row.id, failed((error as Error).message));
    }
  }

  /** Judges gates again that were judged while the server's scorers still looked at what was recorded. */
  private async judgeAgain(scope: Scope, baselineRunId: string): Promise<void> {
    try {
      const replay = await this.replays.findOfBaseline(scope, baselineRunId);
      const run = replay && (await this.runs.find(scope, replay.runId));
      if (!run || run.gates === null || run.status !== RUN_STATUS.completed) return;
      const gates = readGates(run).map(
        ({ actual: _actual, passed: _passed, failing: _failing, reason: _reason, ...gate }) => gate as Gate,
      );
      await this.gates.execute(scope, run.id, gates);
    } catch (error) {
      this.logger.warn({ err: error, run_id: baselineRunId }, 'the gates of a replay could not be judged again');
    }
  }
}
