import { holds, type Permission, ROLES, SCOPES_OF_ROLES, type Role } from '@spandrel/contract';

const BEARER = /^Bearer +([^\s]+) *$/i;

/** The credential in the header `Authorization`; `undefined` when it is of another scheme, or none. */
export const bearerOf = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1];

/**
 * Who may call a route in cloud mode. `open`: everyone. `anyone`: everyone, but a credential that is shown must be
 * valid. A permission: credentials that have it, for their own project (`admin`: organization; the operator too).
 * `caller`: every valid credential. `operator`: the admin token, and for `/metrics` the metrics token.
 */
export type AccessRule = 'open' | 'anyone' | ScopeRule | 'caller' | 'operator';

export type ScopeRule = Permission | 'read or admin';

export const isGranted = (rule: ScopeRule, held: readonly Permission[]): boolean =>
  rule === 'read or admin' ? holds(held, 'read') || holds(held, 'admin') : holds(held, rule);

/** Whether a rule lets the operator in, who belongs to no project. */
export const isOperators = (rule: ScopeRule): boolean => rule === 'admin' || rule === 'read or admin';

export interface CountedAccess {
  access: AccessRule;
  /** Requests that a busy organization must not lose. */
  uncounted?: boolean;
}

const UNCOUNTED: ReadonlySet<AccessRule> = new Set(['open', 'anyone', 'operator']);

/** Whether requests count against the rate limit of the caller's organization (docs/spec/limits.md#which-requests-count). */
export const isCounted = ({ access, uncounted = false }: CountedAccess): boolean =>
  !UNCOUNTED.has(access) && !uncounted;

export const permissionsOfRole = (role: Role): readonly Permission[] => SCOPES_OF_ROLES[role];

export function rolesFor(access: AccessRule): readonly Role[] {
  if (access === 'operator') return [];
  if (access === 'open' || access === 'anyone' || access === 'caller') return ROLES;
  return ROLES.filter((role) => isGranted(access, SCOPES_OF_ROLES[role]));
}
