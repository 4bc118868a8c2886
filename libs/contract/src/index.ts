export * from './errors.js';
export * from './exact-json.js';
export * from './ingest.js';
export * from './lists.js';
export * from './spans.js';
export * from './text.js';
export * from './timestamp.js';
export * from './traces.js';
