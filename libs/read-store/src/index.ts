export { readStoreFeature } from './read-store.module.js';
export { CoolDays } from './cool-days.js';
export { LoadReadStore } from './load-read-store.js';
export { READ_STORE } from './configured-store.js';
export { rebuildReadStore } from './read-store-change.store.js';
