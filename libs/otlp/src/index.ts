export { otlpFeature } from './otlp.feature.js';
