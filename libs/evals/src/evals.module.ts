import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ConnectionsModule, ConnectionUses } from '@spandrel/connections';
import { COMPARED_RUNS_MAX } from '@spandrel/contract';
import { DatasetParticipants, DatasetsModule } from '@spandrel/datasets';
import { Capabilities } from '@spandrel/http';
import {
  PLUGINS,
  type PluginRegistry,
  LOGGER,
  PROJECT_DIRECTORY,
  type Logger,
  type ProjectDirectory,
  defineFeature,
  ofProjects,
  Permits,
} from '@spandrel/kernel';
import { QueueModule } from '@spandrel/queue';
import { ProjectRemovers, Storage } from '@spandrel/storage';
import { EventsModule } from '@spandrel/events';
import { TracingModule } from '@spandrel/tracing';
import { ModuleRef } from '@nestjs/core';
import { ChangeRun, RetryRun } from './change-run.js';
import { CompareRuns, ScoreDeltaStore } from './compare-runs.js';
import { RUN_DISPATCH, type RunDispatch, RUN_TIMING, runTiming, type RunTiming } from './dispatch/run-dispatch.js';
import { EvalRunStore } from './eval-run.store.js';
import { DatasetEvalsController, EvalsController, ExternalRunsController } from './evals.controller.js';
import { AddResults, RecordResults } from './external/add-results.js';
import { CancelIdleRuns, CompleteRun } from './external/complete-run.js';
import { EvalsSettings } from './evals.settings.js';
import { ReadRun } from './read-run.js';
import { RestoreRuns } from './transfer/restore-runs.js';
import { ScorePending } from './external/score-pending.js';
import { CheckPrompts } from './prompts/prompt.js';
import { PlanRun, ChooseForRun, StartRun } from './plan-run.js';
import { AddSamples, RecordItems } from './execution/add-samples.js';
import { ExecuteRun, RunWorker } from './execution/execute-run.js';
import { BaselineAnswers } from './execution/baseline-answers.js';
import { FindAnswers } from './execution/execute-sample.js';
import { WriteItemTrace } from './execution/item-trace.js';
import { PrepareRun, ScoringThreads } from './execution/prepare-run.js';
import { RunSlots } from './execution/run-slots.js';
import { FinishRun, PlanGates, SetGates } from './finish-run.js';
import { CompareScoring } from './statistics/compare-scoring.js';
import { JudgeAgreement } from './statistics/judge-agreement.js';
import { JudgeRun, MeasureRun, ReadStatistics, ReadMetadata } from './statistics/measure-run.js';
import { SampleScoresStore } from './statistics/sample-scores.store.js';
import { LocalDispatch, PausedDispatch } from './dispatch/local-dispatch.js';
import { PgBossDatabase } from './dispatch/pg-boss-database.sql.js';
import { PgBossDispatch } from './dispatch/pg-boss-dispatch.js';
import { EvalMetrics } from './eval-metrics.js';
import { EvalAttemptStore, EvalResultStore, EvalSampleStore } from './eval-result.store.js';
import { RunParticipants } from './run-participants.js';
import { SubmissionStore } from './external/submission.store.js';
import {
  EvalAttemptSchema,
  EvalResultSchema,
  EvalRunMetadataSchema,
  EvalRunSchema,
  EvalSampleSchema,
  EvalSubmissionSchema,
} from './eval-run.entity.js';

/** The tables of runs, their states, and how they reach the processes that work on them. */
@Module({
  imports: [EventsModule, DatasetsModule],
  providers: [
    {
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
      useFactory: createDispatch,
    },
    EvalMetrics,
    EvalRunStore,
    EvalResultStore,
    EvalSampleStore,
    EvalAttemptStore,
    SubmissionStore,
    ChooseForRun,
    ChangeRun,
    RunParticipants,
  ],
  exports: [
    ...[Permits, RUN_TIMING, RUN_DISPATCH, EvalMetrics, ChangeRun, RunParticipants],
    ...[EvalRunStore, EvalResultStore, EvalSampleStore, EvalAttemptStore, SubmissionStore, ChooseForRun],
  ],
})
class RunsModule {}

/** What the scores of runs are worth, and the gates that are judged by it. */
@Module({
  imports: [RunsModule, EventsModule, DatasetsModule, QueueModule],
  providers: [
    ...[SampleScoresStore, CompareScoring, MeasureRun, JudgeRun, ReadStatistics, ReadMetadata],
    ...[PlanGates, SetGates, FinishRun, JudgeAgreement],
  ],
  exports: [CompareScoring, ReadStatistics, ReadMetadata, PlanGates, SetGates, FinishRun, JudgeAgreement],
})
class StatisticsModule {}

/** Starts runs and works through them: model calls, scoring, and the results that come of them. */
@Module({
  imports: [RunsModule, StatisticsModule, EventsModule, TracingModule, DatasetsModule, ConnectionsModule],
  providers: [
    ...[StartRun, PlanRun, CheckPrompts, PrepareRun, RunWorker, ExecuteRun, RunSlots],
    ...[RecordItems, AddSamples, WriteItemTrace, ScorePending, ScoringThreads, FindAnswers, BaselineAnswers, RetryRun],
  ],
  exports: [StartRun, RetryRun, AddSamples, PlanRun, PrepareRun],
})
class ExecutionModule {}

/** Runs whose samples their callers try themselves. */
@Module({
  imports: [RunsModule, StatisticsModule, ExecutionModule, EventsModule, TracingModule, DatasetsModule],
  providers: [AddResults, RecordResults, CompleteRun, CancelIdleRuns],
  exports: [AddResults, CompleteRun],
})
class ExternalRunsModule {}

/** Eval runs: their start, execution, results and comparison. */
@Module({
  imports: [
    ...[RunsModule, StatisticsModule, ExecutionModule, ExternalRunsModule],
    ...[DatasetsModule, ConnectionsModule],
  ],
  controllers: [DatasetEvalsController, EvalsController, ExternalRunsController],
  providers: [ReadRun, CompareRuns, ScoreDeltaStore, RestoreRuns],
  exports: [RunsModule, StatisticsModule, ExecutionModule, ExternalRunsModule, RestoreRuns],
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
      needs_baseline: extension.needsBaseline === true,
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

/** Where other processes may be on the database, runs go through pg-boss (ADR 0014). */
function createDispatch(
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
  return new PgBossDispatch(database, runs, timing, logger, (projectId) => findOrganization(modules, projectId));
}

/** @returns nothing where no feature knows of organizations: there is one. */
async function findOrganization(modules: ModuleRef, projectId: string): Promise<string | undefined> {
  let directory: ProjectDirectory;
  try {
    directory = modules.get<ProjectDirectory>(PROJECT_DIRECTORY, { strict: false });
  } catch {
    return undefined;
  }
  return directory.organizationOf(projectId);
}

export const evalsFeature = defineFeature({
  name: 'evals',
  tag: { name: 'Evaluations', description: 'Runs of a model against a dataset.' },
  module: EvalsModule,
  entities: [
    ...[EvalRunSchema, EvalResultSchema, EvalSampleSchema, EvalAttemptSchema],
    ...[EvalSubmissionSchema, EvalRunMetadataSchema],
  ],
  owned: ofProjects(
    ...(['eval_run', 'eval_result', 'eval_sample', 'eval_attempt'] as const),
    ...(['eval_submission', 'eval_run_metadata'] as const),
  ),
  settings: [EvalsSettings],
  requires: ['events', 'tracing', 'datasets', 'queue', 'connections'],
});
