import { defineFeature, ofProjects } from '@spandrel/kernel';
import { AnalyticsModule } from './analytics.module.js';
import { AnalyticsTotalSchema, RollupSchema } from './rollup.entity.js';

export const analyticsFeature = defineFeature({
  name: 'analytics',
  tag: { name: 'Analytics', description: 'Summaries, time series and counts.' },
  module: AnalyticsModule,
  entities: [RollupSchema, AnalyticsTotalSchema],
  owned: ofProjects('analytics_rollup', 'analytics_total'),
  requires: ['tracing'],
});
