export { analyticsFeature } from './analytics.feature.js';
