export { accessFeature } from './access.feature.js';
export { CLI_ACTOR } from './actor.js';
export { administrationOf, type Administration } from './administration.js';
