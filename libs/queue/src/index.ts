export { queueFeature } from './queue.feature.js';
export { QueueSettings } from './queue.settings.js';
