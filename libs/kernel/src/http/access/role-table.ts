import { ROLES, type Permission, type Role } from '@spandrel/contract';
import type { AccessRule } from './access-rule.js';

/** Permissions do not include each other, except that `write` includes `ingest` and `review` (docs/spec/access.md#scopes). */
const HOLDING: Record<Permission, readonly Permission[]> = {
  read: ['read'],
  write: ['write'],
  ingest: ['ingest', 'write'],
  review: ['review', 'write'],
  admin: ['admin'],
};

/**
 * What each role may, in the permissions that keys have: the one table of roles. What a route needs stands beside it, in
 * `@Operation`. An `owner` may what an `admin` may, and alone makes and removes owners (docs/spec/people.md#roles).
 */
const GRANTED: Record<Role, readonly Permission[]> = {
  owner: ['read', 'write', 'ingest', 'review', 'admin'],
  admin: ['read', 'write', 'ingest', 'review', 'admin'],
  editor: ['read', 'write', 'ingest', 'review'],
  reviewer: ['read', 'review'],
  viewer: ['read'],
};

/** Whether somebody with some permissions has one more, by itself or by one that includes it. */
export const holds = (held: readonly Permission[], permission: Permission): boolean =>
  HOLDING[permission].some((each) => held.includes(each));

/** What a role grants. */
export const permissionsOfRole = (role: Role): readonly Permission[] => GRANTED[role];

/** The roles that may call a route. */
export function rolesFor(access: AccessRule): readonly Role[] {
  if (access === 'operator') return [];
  if (access === 'open' || access === 'anyone' || access === 'caller') return ROLES;
  return ROLES.filter((role) => holds(GRANTED[role], access));
}
