export { transferFeature } from './transfer.feature.js';
