import { Inject, Injectable } from '@nestjs/common';
import { Connections, type UsableConnection } from '@spandrel/connections';
import type { EvalConfig, EvalConfigResource, EvalRunSummary, StartEval } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { invalidRequest, newId, NotFound, PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from './eval-run.entity.js';
import { EvalRunStore } from './eval-run.store.js';
import { EvalsSettings } from './evals.settings.js';
import { RUN_DISPATCH, type RunDispatch } from './dispatch/run-dispatch.js';
import { runSummary } from './run-resource.js';
import { RUN_STATUS } from './status.js';

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
    private readonly connections: Connections,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers'>,
    private readonly settings: EvalsSettings,
  ) {}

  /**
   * @returns the run as it was made: pending.
   * @throws NotFound for the dataset or a connection; Invalid for the scoring, its config, or a model that is not named.
   */
  async execute(scope: Scope, datasetId: string, body: StartEval): Promise<EvalRunSummary> {
    this.assertScoring(body);
    const id = newId();
    const now = Date.now();
    const run = await this.storage.write(async (tx) => {
      const snapshot = await this.snapshots.take(tx, scope, datasetId);
      const config = await this.complete(tx, scope, body.config);
      const row = newRun(scope, { id, datasetId, body, config, snapshot, now });
      this.runs.insert(tx, row);
      await this.dispatch.enqueue(tx, row);
      return row;
    });
    return runSummary(run);
  }

  private assertScoring({ scoring, scoring_config: config }: StartEval): void {
    const scorer = this.plugins.scorers.find(({ name }) => name === scoring);
    if (!scorer) {
      const names = this.plugins.scorers.map(({ name }) => name).join(', ');
      const message = `must be the name of a scoring strategy: ${names}`;
      throw invalidRequest([{ path: 'scoring', message }]);
    }
    const checked = scorer.configure(config);
    if (!('faults' in checked)) return;
    throw invalidRequest(
      checked.faults.map(({ path, message }) => ({
        path: path ? `scoring_config.${path}` : 'scoring_config',
        message,
      })),
    );
  }

  /** The config with its defaults; its connections are there and stay until the transaction ends. */
  private async complete(tx: WriteTx, scope: Scope, config: EvalConfig): Promise<EvalConfigResource> {
    const { connection_id: id, judge } = config;
    const judgeId = judge?.connection_id ?? null;
    // Locked in one order by everybody.
    const connections = new Map<string, UsableConnection>();
    for (const needed of [...new Set([id, judgeId ?? id])].sort()) {
      connections.set(needed, await this.connection(tx, scope, needed));
    }
    const model = config.model ?? connections.get(id)!.defaultModel;
    if (model === null) {
      throw invalidRequest([
        { path: 'config.model', message: 'is required, since the connection has no default_model' },
      ]);
    }
    const judgeModel = judge?.model ?? (judgeId === null ? null : connections.get(judgeId)!.defaultModel);
    return {
      connection_id: id,
      model,
      system_prompt: config.system_prompt ?? null,
      temperature: config.temperature ?? null,
      max_tokens: config.max_tokens ?? null,
      trace: config.trace ?? this.settings.trace,
      judge: judge ? { connection_id: judgeId, model: judgeModel, rubric: judge.rubric ?? null } : null,
    };
  }

  private async connection(tx: WriteTx, scope: Scope, id: string): Promise<UsableConnection> {
    const connection = await this.connections.findForUse(tx, scope, id);
    if (!connection)
      throw new NotFound(
        'connection_not_found',
        'there is no provider connection with this id; GET /api/provider-connections lists them',
      );
    return connection;
  }
}

interface NewRun {
  id: string;
  datasetId: string;
  body: StartEval;
  config: EvalConfigResource;
  snapshot: { version: number; count: number };
  now: number;
}

function newRun(scope: Scope, { id, datasetId, body, config, snapshot, now }: NewRun): EvalRunRow {
  return {
    projectId: scope.projectId,
    id,
    datasetId,
    datasetVersion: snapshot.version,
    name: body.name,
    status: RUN_STATUS.pending,
    config: JSON.stringify(config),
    scoring: body.scoring,
    scoringConfig: toJsonText(body.scoring_config),
    connectionId: config.connection_id,
    judgeConnectionId: config.judge?.connection_id ?? null,
    total: snapshot.count,
    progress: 0,
    failedCount: 0,
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
    error: null,
    createdAt: now,
    startedAt: null,
    endedAt: null,
    running: '[]',
    leaseOwner: null,
    leaseUntil: 0,
  };
}
