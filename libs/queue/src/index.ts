export { queueFeature } from './queue.feature.js';
