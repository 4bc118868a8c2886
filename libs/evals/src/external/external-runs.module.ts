import { Module } from '@nestjs/common';
import { DatasetsModule } from '@spandrel/datasets';
import { EventsModule } from '@spandrel/events';
import { TracingModule } from '@spandrel/tracing';
import { ExecutionModule } from '../execution/execution.module.js';
import { RunsModule } from '../runs.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { AddResults, RecordResults } from './add-results.js';
import { CancelIdleRuns, CompleteRun } from './complete-run.js';
import { ExternalRunsController } from './external-runs.controller.js';

/** Runs whose samples their callers try themselves. */
@Module({
  imports: [RunsModule, StatisticsModule, ExecutionModule, EventsModule, TracingModule, DatasetsModule],
  controllers: [ExternalRunsController],
  providers: [AddResults, RecordResults, CompleteRun, CancelIdleRuns],
})
export class ExternalRunsModule {}
