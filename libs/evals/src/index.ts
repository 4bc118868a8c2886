export { evalsFeature } from './evals.feature.js';
