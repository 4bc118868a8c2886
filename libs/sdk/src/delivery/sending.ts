/** What a request needs and recording does not: it is loaded beside the application, which has begun by then. */
export { BodyRoom, composeBatch, scoreCount, spanCount } from './batch.js';
export { postBatch } from './post-batch.js';
export { dropSingle, settleBatch } from './settle-batch.js';
