export { dashboardFeature } from './dashboard.module.js';
