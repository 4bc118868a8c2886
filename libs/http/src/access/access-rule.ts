import { holds, type Permission, ROLES, SCOPES_OF_ROLES, type Role } from '@spandrel/contract';

const BEARER = /^Bearer +([^\s]+) *$/i;

/** The credential in the header `Authorization`; `undefined` when it is of another scheme, or none. */
export const bearerOf = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1];

/**
 * Who may call a route in cloud mode, declared beside the route. `open`: everyone. `anyone`: everyone too, but a caller
 * who shows a credential is known to the route, and refused when it is not valid. A permission: every credential that
 * has it, for the data of its own project (`admin`: of its own organization; the operator too). `read or admin`: both of these. `caller`: every valid
 * credential. `operator`: the admin token, and for `/metrics` the metrics token.
 */
export type AccessRule = 'open' | 'anyone' | ScopeRule | 'caller' | 'operator';

/** A rule that asks for a permission. */
export type ScopeRule = Permission | 'read or admin';

/** Whether permissions are enough for a rule. */
export const isGranted = (rule: ScopeRule, held: readonly Permission[]): boolean =>
  rule === 'read or admin' ? holds(held, 'read') || holds(held, 'admin') : holds(held, rule);

/** Whether a rule lets the operator in, who belongs to no project. */
export const isOperators = (rule: ScopeRule): boolean => rule === 'admin' || rule === 'read or admin';

/** What a route says of who may call it, and whether that counts. */
export interface CountedAccess {
  access: AccessRule;
  /** Requests that a busy organization must not lose. */
  uncounted?: boolean;
}

const UNCOUNTED: ReadonlySet<AccessRule> = new Set(['open', 'anyone', 'operator']);

/** Whether requests count against the rate limit of the caller's organization (docs/spec/limits.md#which-requests-count). */
export const isCounted = ({ access, uncounted = false }: CountedAccess): boolean =>
  !UNCOUNTED.has(access) && !uncounted;

/** What a role grants. */
export const permissionsOfRole = (role: Role): readonly Permission[] => SCOPES_OF_ROLES[role];

/** The roles that may call a route: what it needs stands beside it, in `@Operation`. */
export function rolesFor(access: AccessRule): readonly Role[] {
  if (access === 'operator') return [];
  if (access === 'open' || access === 'anyone' || access === 'caller') return ROLES;
  return ROLES.filter((role) => isGranted(access, SCOPES_OF_ROLES[role]));
}
