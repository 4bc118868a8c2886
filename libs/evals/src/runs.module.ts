import { Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DatasetsModule } from '@spandrel/datasets';
import { EventsModule } from '@spandrel/events';
import { LOGGER, PROJECT_DIRECTORY, type Logger, type ProjectDirectory } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ChangeRun } from './change-run.js';
import { ChooseForRun } from './choose-for-run.js';
import { LocalDispatch, PausedDispatch } from './dispatch/local-dispatch.js';
import { PgBossDatabase } from './dispatch/pg-boss-database.sql.js';
import { PgBossDispatch } from './dispatch/pg-boss-dispatch.js';
import { RUN_DISPATCH, RUN_TIMING, runTiming, type RunDispatch, type RunTiming } from './dispatch/run-dispatch.js';
import { EvalMetrics } from './eval-metrics.js';
import { EvalAttemptStore } from './eval-attempt.store.js';
import { EvalResultStore } from './eval-result.store.js';
import { EvalRunStore } from './eval-run.store.js';
import { EvalSampleStore } from './eval-sample.store.js';
import { EvalsSettings } from './evals.settings.js';
import { Permits } from './execution/permits.js';
import { SubmissionStore } from './external/submission.store.js';

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
  ],
  exports: [
    ...[Permits, RUN_TIMING, RUN_DISPATCH, EvalMetrics, ChangeRun],
    ...[EvalRunStore, EvalResultStore, EvalSampleStore, EvalAttemptStore, SubmissionStore, ChooseForRun],
  ],
})
export class RunsModule {}

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
