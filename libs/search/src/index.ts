export { SearchWorker } from './search-worker.js';
export { searchFeature } from './search.feature.js';
