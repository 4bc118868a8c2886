export type * from './chat.js';
export { UNKNOWN_USAGE } from './chat.js';
export type * from './deps.js';
export * from './plugin.js';
export type * from './provider.js';
export type * from './scorer.js';
export type * from './search-index.js';
