import { Module } from '@nestjs/common';
import { ConnectionsModule } from '@spandrel/connections';
import { DatasetsModule } from '@spandrel/datasets';
import { EventsModule } from '@spandrel/events';
import { TracingModule } from '@spandrel/tracing';
import { ScorePending } from '../external/score-pending.js';
import { RetryRun } from '../retry-run.js';
import { RunsModule } from '../runs.module.js';
import { CheckPrompts } from '../prompts/check-prompts.js';
import { PlanRun } from '../plan-run.js';
import { StartRun } from '../start-run.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { AddSamples } from './add-samples.js';
import { ExecuteRun } from './execute-run.js';
import { FindAnswers } from './find-answers.js';
import { WriteItemTrace } from './item-trace.js';
import { PrepareRun } from './prepare-run.js';
import { RecordItems } from './record-items.js';
import { RunSlots } from './run-slots.js';
import { RunWorker } from './run-worker.js';
import { ScoringThreads } from './scoring-threads.js';

/** Starts runs and works through them: model calls, scoring, and the results that come of them. */
@Module({
  imports: [RunsModule, StatisticsModule, EventsModule, TracingModule, DatasetsModule, ConnectionsModule],
  providers: [
    ...[StartRun, PlanRun, CheckPrompts, PrepareRun, RunWorker, ExecuteRun, RunSlots],
    ...[RecordItems, AddSamples, WriteItemTrace, ScorePending, ScoringThreads, FindAnswers, RetryRun],
  ],
  exports: [StartRun, RetryRun, AddSamples],
})
export class ExecutionModule {}
