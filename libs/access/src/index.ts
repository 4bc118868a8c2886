export { accessFeature } from './access.feature.js';
