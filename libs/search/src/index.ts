export { SearchWorker } from './search-worker.js';
export { searchFeature } from './search.feature.js';
export { SearchSettings } from './search.settings.js';
