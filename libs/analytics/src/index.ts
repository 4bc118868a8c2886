export { analyticsFeature } from './analytics.feature.js';
export { rebuildRollups, type Recount } from './recount-rollups.js';
