import { Module } from '@nestjs/common';
import { TracingModule } from '@spandrel/tracing';
import { AnalyticsController } from './analytics.controller.js';
import { KeepRollups } from './keep-rollups.js';
import { QueryGroups } from './query-groups.js';
import { SpanAggregates } from './span-aggregates.js';
import { StoredSums } from './stored-sums.js';
import { SummaryStore } from './summary.store.js';
import { TimeSeries } from './time-series.js';
import { TimeSeriesStore } from './time-series.store.js';
import { WeighedRead } from './weighed-read.sql.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { AnalyticsTotalSchema, RollupSchema } from './rollup.entity.js';

@Module({
  imports: [TracingModule],
  controllers: [AnalyticsController],
  providers: [
    KeepRollups,
    WeighedRead,
    SummaryStore,
    TimeSeriesStore,
    TimeSeries,
    SpanAggregates,
    QueryGroups,
    StoredSums,
  ],
  exports: [TimeSeries],
})
export class AnalyticsModule {}

export const analyticsFeature = defineFeature({
  name: 'analytics',
  tag: { name: 'Analytics', description: 'Summaries, time series and counts.' },
  module: AnalyticsModule,
  entities: [RollupSchema, AnalyticsTotalSchema],
  owned: ofProjects('analytics_rollup', 'analytics_total'),
  requires: ['tracing'],
});
