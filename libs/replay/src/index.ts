export { replayFeature } from './replay.feature.js';
export { TrySettings } from './try/try.settings.js';
