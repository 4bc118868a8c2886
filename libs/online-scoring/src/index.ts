export { onlineScoringFeature } from './online-scoring.module.js';
