export { rebuildRollups, type Recount } from './recount-rollups.js';
export { analyticsFeature, AnalyticsModule } from './analytics.module.js';
export { TimeSeries } from './time-series.js';
export { isKept, type SeriesQuery } from './time-series.store.js';
