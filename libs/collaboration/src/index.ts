export { collaborationFeature, sharingFeature } from './collaboration.feature.js';
export { SharingSettings } from './collaboration.settings.js';
