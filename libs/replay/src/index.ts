export { replayFeature } from './replay.module.js';
export { TrySettings } from './try/try.settings.js';
