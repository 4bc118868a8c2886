export { queueItemJson } from './queue-item-json.js';
export { QueueListStore } from './queue-list.store.js';
export { queueFeature, QueueModule } from './queue.module.js';
export { QueueSettings } from './queue.settings.js';
export { ReviewStore } from './review.store.js';
export { RestoreQueueItems } from './restore-queue-items.js';
