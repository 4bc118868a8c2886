export { onlineScoringFeature } from './online-scoring.feature.js';
