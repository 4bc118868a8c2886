export { accessFeature } from './access.module.js';
export { CLI_ACTOR } from './organizations/actor.js';
export { administrationOf, type Administration } from './organizations/administration.js';
export { AccessSettings } from './access.settings.js';
export { JwtSettings } from './credentials/jwt.settings.js';
export type { JwtCheck, JwtRule } from './credentials/check-jwt.js';
export { OidcSettings } from './oidc/oidc.settings.js';
