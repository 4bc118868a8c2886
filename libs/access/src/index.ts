export { accessFeature } from './access.feature.js';
export { CLI_ACTOR } from './organizations/actor.js';
export { administrationOf, type Administration } from './organizations/administration.js';
export { AccessSettings } from './access.settings.js';
