import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ConnectionsModule, ConnectionUses } from '@spandrel/connections';
import { COMPARED_RUNS_MAX } from '@spandrel/contract';
import { DatasetParticipants, DatasetsModule } from '@spandrel/datasets';
import { Capabilities } from '@spandrel/http';
import { PLUGINS, type PluginRegistry } from '@spandrel/kernel';
import { ProjectRemovers } from '@spandrel/storage';
import { ChangeRun } from './change-run.js';
import { CompareRuns } from './compare-runs.js';
import { RUN_DISPATCH, type RunDispatch } from './dispatch/run-dispatch.js';
import { EvalRunStore } from './eval-run.store.js';
import { DatasetEvalsController, EvalsController } from './evals.controller.js';
import { EvalsSettings } from './evals.settings.js';
import { ExecutionModule } from './execution/execution.module.js';
import { ExternalRunsModule } from './external/external-runs.module.js';
import { ReadRun } from './read-run.js';
import { RunsModule } from './runs.module.js';
import { ScoreDeltaStore } from './score-delta.store.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { RestoreRuns } from './transfer/restore-runs.js';

/** Eval runs: their start, execution, results and comparison. */
@Module({
  imports: [
    ...[RunsModule, StatisticsModule, ExecutionModule, ExternalRunsModule],
    ...[DatasetsModule, ConnectionsModule],
  ],
  controllers: [DatasetEvalsController, EvalsController],
  providers: [ReadRun, CompareRuns, ScoreDeltaStore, RestoreRuns],
  exports: [RunsModule, RestoreRuns],
})
export class EvalsModule implements OnModuleInit {
  constructor(
    private readonly datasets: DatasetParticipants,
    private readonly connections: ConnectionUses,
    private readonly changes: ChangeRun,
    private readonly runs: EvalRunStore,
    private readonly removers: ProjectRemovers,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
    private readonly capabilities: Capabilities,
    private readonly settings: EvalsSettings,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers'>,
  ) {}

  onModuleInit(): void {
    const scorers = this.plugins.scorers.map(({ name, extension, configSchema }) => ({
      name,
      needs_expected: extension.needsExpected,
      asks_judge: extension.asksJudge === true,
      embeds: extension.embeds === true,
      is_graded: extension.isGraded === true,
      config_schema: configSchema,
    }));
    this.capabilities.provide('scorers', () => scorers);
    this.capabilities.provide('compared_runs', () => COMPARED_RUNS_MAX);
    this.capabilities.provide('evals_paused', () => this.settings.paused);
    this.removers.register({
      name: 'jobs of runs',
      remove: async (projectId) => {
        await this.dispatch.forget(projectId);
        return { removed: 0, isMoreLeft: false };
      },
    });
    this.datasets.register({
      name: 'evals',
      beforeDatasetDelete: (tx, { scope, datasetId }) => this.changes.deleteAll(tx, scope, datasetId),
    });
    this.connections.register({
      name: 'evals',
      isUsed: (tx, scope, connectionId) => this.runs.usesConnection(tx, scope, connectionId),
    });
  }
}
