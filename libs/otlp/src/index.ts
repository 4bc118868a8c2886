export { otlpFeature } from './otlp.module.js';
