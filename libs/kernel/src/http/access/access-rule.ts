import type { Permission } from '@spandrel/contract';

/**
 * Who may call a route in cloud mode, declared beside the route. `open`: everyone. `anyone`: everyone too, but a caller
 * who shows a credential is known to the route, and refused when it is not valid. A permission: every credential that
 * has it, for the data of its own project (`admin`: of its own organization; the operator too). `caller`: every valid
 * credential. `operator`: the admin token, and for `/metrics` the metrics token.
 */
export type AccessRule = 'open' | 'anyone' | Permission | 'caller' | 'operator';

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
