import type { Permission } from './access.js';
import type { Role } from './roles.js';

/**
 * What each role may, in the scopes that keys have: the one table of roles. What a route needs stands beside the route. An
 * `owner` may what an `admin` may, and alone makes and removes owners (docs/spec/people.md#roles).
 */
export const SCOPES_OF_ROLES: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['read', 'write', 'ingest', 'review', 'admin'],
  admin: ['read', 'write', 'ingest', 'review', 'admin'],
  editor: ['read', 'write', 'ingest', 'review'],
  reviewer: ['read', 'review'],
  viewer: ['read'],
};

/** Scopes do not include each other, except that `write` includes `ingest` and `review` (docs/spec/access.md#scopes). */
const HELD_BY: Readonly<Record<Permission, readonly Permission[]>> = {
  read: ['read'],
  write: ['write'],
  ingest: ['ingest', 'write'],
  review: ['review', 'write'],
  admin: ['admin'],
};

/** Whether somebody with some scopes has one more, by itself or by one that includes it. */
export const holds = (held: readonly Permission[], scope: Permission): boolean =>
  HELD_BY[scope].some((each) => held.includes(each));
