import { Inject, Injectable } from '@nestjs/common';
import type { EvalRunSummary, StartEval } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { Conflict, newId, type Scope } from '@spandrel/kernel';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import { requestHash } from '@spandrel/tracing';
import type { EvalRunRow } from './eval-run.entity.js';
import { EvalRunStore } from './eval-run.store.js';
import { RUN_DISPATCH, type RunDispatch } from './dispatch/run-dispatch.js';
import { PlanRun, type RunPlan } from './plan-run.js';
import { runSummary } from './run-resource.js';
import { EXECUTION, RUN_STATUS } from './status.js';

/**
 * Starts eval runs: a row with a snapshot's number, whatever the size of the dataset; the work goes on behind
 * (docs/spec/evaluations.md#the-snapshot-of-a-run).
 */
@Injectable()
export class StartRun {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly plans: PlanRun,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
  ) {}

  /**
   * @returns the run as it was made: pending. One whose id was chosen, and that is there from the same request, as it is.
   * @throws NotFound for the dataset, a connection or a baseline; Invalid for what cannot be done; Conflict for an id that another
   *   request has taken.
   */
  async execute(scope: Scope, datasetId: string, body: StartEval): Promise<EvalRunSummary> {
    const scorers = this.plans.scorersOf(body);
    const startHash = body.id ? requestHash({ ...body, dataset_id: datasetId }) : null;
    const now = Date.now();
    const run = await this.storage.write(async (tx) => {
      if (body.id) {
        const [there] = await this.runs.findForWrite(tx, scope, [body.id]);
        if (there) return same(there, startHash);
      }
      const snapshot = await this.snapshots.take(tx, scope, datasetId);
      const plan = await this.plans.execute(tx, scope, datasetId, body, scorers);
      const row = newRun(scope, { id: body.id ?? newId(), datasetId, body, plan, snapshot, startHash, now });
      await this.insert(tx, row, body.metadata ?? {});
      // Who executes an external run sends its results; one without datapoints ends by itself.
      if (row.execution === EXECUTION.server || row.total === 0)
        await this.dispatch.enqueue(tx, { projectId: row.projectId, id: row.id, orgId: scope.orgId });
      return row;
    });
    return runSummary(run);
  }

  private async insert(tx: WriteTx, row: EvalRunRow, metadata: Readonly<Record<string, string>>): Promise<void> {
    await this.runs.insert(tx, row);
    await this.runs.insertMetadata(tx, row, metadata);
  }
}

function same(there: EvalRunRow, startHash: string | null): EvalRunRow {
  if (there.startHash === startHash) return there;
  throw new Conflict(
    'id_conflict',
    'another eval run has this id; choose another one, or repeat the first request unchanged',
  );
}

interface NewRun {
  id: string;
  datasetId: string;
  body: StartEval;
  plan: RunPlan;
  snapshot: { version: number; count: number };
  startHash: string | null;
  now: number;
}

function newRun(scope: Scope, { id, datasetId, body, plan, snapshot, startHash, now }: NewRun): EvalRunRow {
  const { config, scorers, gates } = plan;
  return {
    projectId: scope.projectId,
    id,
    datasetId,
    datasetVersion: snapshot.version,
    name: body.name,
    status: RUN_STATUS.pending,
    config: JSON.stringify(config),
    scoring: scorers[0]!.scoring,
    scoringConfig: toJsonText(scorers[0]!.scoring_config),
    scorers: body.scorers ? JSON.stringify(scorers) : null,
    connectionId: config.connection_id ?? '',
    judgeConnectionId: config.judge?.connection_id ?? null,
    execution: EXECUTION[body.execution ?? 'server'],
    repeats: body.repeats ?? 1,
    passScore: body.pass_score ?? 1,
    costCap: body.max_cost_usd ?? null,
    gates: gates.length === 0 ? null : JSON.stringify(gates),
    metadata: body.metadata ? JSON.stringify(body.metadata) : null,
    startHash,
    total: snapshot.count,
    progress: 0,
    failedCount: 0,
    sampleProgress: 0,
    failedSamples: 0,
    scoreSum: 0,
    scoreCount: 0,
    totalTokens: 0,
    costUsd: 0,
    costPico: 0,
    costCount: 0,
    unpricedCount: 0,
    judgeTokens: 0,
    judgeCostUsd: 0,
    judgeCostPico: 0,
    judgeCostCount: 0,
    judgeUnpricedCount: 0,
    dearestUsd: null,
    dearestPico: null,
    scoreSe: null,
    scoreCi: null,
    passed: null,
    stopReason: null,
    error: null,
    unscored: 0,
    resultAt: null,
    closedAt: null,
    createdAt: now,
    startedAt: null,
    endedAt: null,
    running: '[]',
    leaseOwner: null,
    leaseUntil: 0,
  };
}
