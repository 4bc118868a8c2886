import { ROLES, SCOPES_OF_ROLES, type Permission, type Role } from '@spandrel/contract';
import { isGranted, type AccessRule } from './access-rule.js';

/** What a role grants. */
export const permissionsOfRole = (role: Role): readonly Permission[] => SCOPES_OF_ROLES[role];

/** The roles that may call a route: what it needs stands beside it, in `@Operation`. */
export function rolesFor(access: AccessRule): readonly Role[] {
  if (access === 'operator') return [];
  if (access === 'open' || access === 'anyone' || access === 'caller') return ROLES;
  return ROLES.filter((role) => isGranted(access, SCOPES_OF_ROLES[role]));
}
