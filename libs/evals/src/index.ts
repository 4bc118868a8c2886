export { evalsFeature } from './evals.feature.js';
export { EvalsSettings } from './evals.settings.js';
