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
import { leaseUntil, PrepareReplay } from './prepare-replay.js';
import type { ReplayRow } from './replay.entity.js';
import { failed, REPLAY_STATUS, ReplayStore } from './replay.store.js';

/** How often replays are looked for whose process has died. */
const SWEEP_MS = 30_000;

/** Whether the same request would meet the same fault again. */
const isFaultOfRequest = (error: unknown): boolean =>
  [Invalid, NotFound, Conflict].some((kind) => error instanceof kind);

/** Sees to it that every replay comes to its end, whatever happens to the process that began it. */
@Injectable()
export class ReplayUpkeep implements OnModuleInit {
  private readonly own = new Map<string, Promise<void>>();

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
  }

  onModuleInit(): void {
    this.datasets.register({
      name: 'replays',
      beforeDatasetDelete: (tx, { scope, datasetId }) => this.replays.deleteOf(tx, scope, datasetId),
    });
    this.participants.onCompleted((scope, runId) => void this.judgeAgain(scope, runId));
  }

  /**
   * Prepares a replay to its end; nothing happens to one that is.
   * @throws what stands in its way. Where that is a fault of the request nothing is left of the replay.
   */
  async prepare(scope: Scope, row: ReplayRow): Promise<void> {
    if (row.status !== REPLAY_STATUS.preparing) return;
    const key = `${row.projectId} ${row.id}`;
    const underWay = this.own.get(key) ?? this.prepares.execute(scope, row);
    this.own.set(key, underWay);
    try {
      await underWay;
    } catch (error) {
      if (isFaultOfRequest(error)) await this.changes.delete(scope, row.datasetId);
      throw error;
    } finally {
      this.own.delete(key);
    }
  }

  private async claim({ projectId, id, leaseUntil: before }: ReplayRow): Promise<boolean> {
    if (this.own.has(`${projectId} ${id}`)) return false;
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
      await this.prepares.execute(scope, row);
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
