import { Module } from '@nestjs/common';
import { DatasetsModule } from '@spandrel/datasets';
import { EventsModule } from '@spandrel/events';
import { FinishRun } from '../finish-run.js';
import { RunsModule } from '../runs.module.js';
import { PlanGates, SetGates } from '../set-gates.js';
import { CompareScoring } from './compare-scoring.js';
import { JudgeRun, MeasureRun, ReadStatistics } from './measure-run.js';
import { ReadMetadata } from './metadata-keys.js';
import { SampleScoresStore } from './sample-scores.store.js';

/** What the scores of runs are worth, and the gates that are judged by it. */
@Module({
  imports: [RunsModule, EventsModule, DatasetsModule],
  providers: [
    ...[SampleScoresStore, CompareScoring, MeasureRun, JudgeRun, ReadStatistics, ReadMetadata],
    ...[PlanGates, SetGates, FinishRun],
  ],
  exports: [CompareScoring, ReadStatistics, ReadMetadata, PlanGates, SetGates, FinishRun],
})
export class StatisticsModule {}
