import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ConnectionsModule, ConnectionUses } from '@spandrel/connections';
import { DatasetParticipants, DatasetsModule } from '@spandrel/datasets';
import { EventsModule } from '@spandrel/events';
import { LOGGER, PROJECT_DIRECTORY, type Logger, type ProjectDirectory } from '@spandrel/kernel';
import { ProjectRemovers, Storage } from '@spandrel/storage';
import { TracingModule } from '@spandrel/tracing';
import { ChangeRun } from './change-run.js';
import { CompareItems } from './compare-items.js';
import { CompareRuns } from './compare-runs.js';
import { DatasetEvalsController } from './dataset-evals.controller.js';
import { EvalStatisticsController } from './eval-statistics.controller.js';
import { EvalMetrics } from './eval-metrics.js';
import { EvalResultStore } from './eval-result.store.js';
import { EvalRunsController } from './eval-runs.controller.js';
import { EvalRunStore } from './eval-run.store.js';
import { EvalsSettings } from './evals.settings.js';
import { EvalsController } from './evals.controller.js';
import { AddSamples } from './execution/add-samples.js';
import { ExecuteRun } from './execution/execute-run.js';
import { PrepareRun } from './execution/prepare-run.js';
import { RunSlots } from './execution/run-slots.js';
import { FinishRun } from './finish-run.js';
import { LocalDispatch } from './dispatch/local-dispatch.js';
import { PausedDispatch } from './dispatch/paused-dispatch.js';
import { Permits } from './execution/permits.js';
import { PgBossDispatch } from './dispatch/pg-boss-dispatch.js';
import { ComparedRuns } from './compared-runs.js';
import { ItemOrderStore } from './item-order.store.js';
import { ListItems } from './list-items.js';
import { ScoreDeltaStore } from './score-delta.store.js';
import { ReadRun } from './read-run.js';
import { RecordItems } from './execution/record-items.js';
import { RUN_DISPATCH, type RunDispatch } from './dispatch/run-dispatch.js';
import { PgBossDatabase } from './dispatch/pg-boss-database.sql.js';
import { RUN_TIMING, runTiming, type RunTiming } from './dispatch/run-timing.js';
import { RunWorker } from './execution/run-worker.js';
import { EvalSampleStore } from './eval-sample.store.js';
import { AddResults } from './external/add-results.js';
import { CancelIdleRuns } from './external/cancel-idle-runs.js';
import { CompleteRun } from './external/complete-run.js';
import { ExternalRunsController } from './external/external-runs.controller.js';
import { PutSamples } from './external/put-samples.js';
import { RecordResults } from './external/record-results.js';
import { ReplacedSampleStore } from './external/replaced-sample.store.js';
import { ScoreWaiting } from './external/score-waiting.js';
import { SubmissionStore } from './external/submission.store.js';
import { WaitingResults } from './external/waiting-results.js';
import { PlanGates } from './plan-gates.js';
import { PlanRun } from './plan-run.js';
import { SetGates } from './set-gates.js';
import { StartRun } from './start-run.js';
import { JudgeRun } from './statistics/judge-run.js';
import { MeasureRun } from './statistics/measure-run.js';
import { ReadSamples } from './statistics/read-samples.js';
import { ReadStatistics } from './statistics/read-statistics.js';
import { SampleScoresStore } from './statistics/sample-scores.store.js';
import { RestoreResults } from './transfer/restore-results.js';
import { RestoreRuns } from './transfer/restore-runs.js';
import { SampleScanStore } from './transfer/sample-scan.store.js';
import { WriteItemTrace } from './execution/write-item-trace.js';
import { EvalCapabilities } from './eval-capabilities.js';

/** Eval runs: their start, execution, results and comparison. */
@Module({
  imports: [EventsModule, TracingModule, DatasetsModule, ConnectionsModule],
  controllers: [
    DatasetEvalsController,
    EvalRunsController,
    EvalsController,
    EvalStatisticsController,
    ExternalRunsController,
  ],
  providers: [
    {
      // The model calls of all runs.
      provide: Permits,
      inject: [EvalsSettings],
      useFactory: ({ callsMax }: EvalsSettings) => new Permits(callsMax),
    },
    {
      provide: RUN_TIMING,
      inject: [Storage],
      useFactory: ({ exclusive }: Storage): RunTiming => runTiming(!exclusive),
    },
    PgBossDatabase,
    {
      provide: RUN_DISPATCH,
      inject: [EvalsSettings, Storage, PgBossDatabase, EvalRunStore, RUN_TIMING, LOGGER, ModuleRef],
      useFactory: dispatchOf,
    },
    EvalMetrics,
    EvalCapabilities,
    EvalRunStore,
    EvalResultStore,
    EvalSampleStore,
    ChangeRun,
    AddSamples,
    RecordItems,
    WriteItemTrace,
    PrepareRun,
    RunSlots,
    FinishRun,
    ExecuteRun,
    RunWorker,
    StartRun,
    PlanRun,
    PlanGates,
    SetGates,
    SampleScoresStore,
    ReadSamples,
    MeasureRun,
    JudgeRun,
    ReadStatistics,
    AddResults,
    RecordResults,
    PutSamples,
    WaitingResults,
    ScoreWaiting,
    CompleteRun,
    CancelIdleRuns,
    SubmissionStore,
    ReplacedSampleStore,
    ReadRun,
    ListItems,
    ItemOrderStore,
    ComparedRuns,
    CompareRuns,
    CompareItems,
    ScoreDeltaStore,
    RestoreRuns,
    RestoreResults,
    SampleScanStore,
  ],
  exports: [EvalRunStore, EvalResultStore, RestoreRuns, RestoreResults, SampleScanStore],
})
export class EvalsModule implements OnModuleInit {
  constructor(
    private readonly datasets: DatasetParticipants,
    private readonly connections: ConnectionUses,
    private readonly changes: ChangeRun,
    private readonly runs: EvalRunStore,
    private readonly removers: ProjectRemovers,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
  ) {}

  onModuleInit(): void {
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

/** Where other processes may be on the database, runs go through pg-boss (ADR 0014). */
function dispatchOf(
  { paused }: EvalsSettings,
  { exclusive }: Storage,
  database: PgBossDatabase,
  runs: EvalRunStore,
  timing: RunTiming,
  logger: Logger,
  modules: ModuleRef,
): RunDispatch {
  if (paused) return new PausedDispatch(logger);
  if (exclusive) return new LocalDispatch(runs, timing, logger);
  return new PgBossDispatch(database, runs, timing, logger, (projectId) => organizationOf(modules, projectId));
}

/** @returns nothing where no feature knows of organizations: there is one. */
async function organizationOf(modules: ModuleRef, projectId: string): Promise<string | undefined> {
  let directory: ProjectDirectory;
  try {
    directory = modules.get<ProjectDirectory>(PROJECT_DIRECTORY, { strict: false });
  } catch {
    return undefined;
  }
  return directory.organizationOf(projectId);
}
