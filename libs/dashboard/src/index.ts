export { dashboardFeature } from './dashboard.feature.js';
