export { SearchWorker } from './search-worker.js';
export { searchFeature } from './search.module.js';
export { SearchSettings } from './search.settings.js';
