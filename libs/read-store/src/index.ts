export { readStoreFeature } from './read-store.feature.js';
export { CoolDays } from './cool-days.js';
export { LoadReadStore } from './load-read-store.js';
export { READ_STORE } from './configured-store.js';
export { rebuildReadStore } from './rebuild-read-store.js';
