export { evalsFeature } from './evals.feature.js';
export { EvalsModule } from './evals.module.js';
