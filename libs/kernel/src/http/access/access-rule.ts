import type { Permission } from '@spandrel/contract';

/**
 * Who may call a route in cloud mode, declared beside the route. `open`: everyone. A permission: every credential that
 * has it, for the data of its own project (`admin`: of its own organization; the operator too). `caller`: every valid
 * credential. `operator`: the admin token, and for `/metrics` the metrics token.
 */
export type AccessRule = 'open' | Permission | 'caller' | 'operator';

/**
 * Whether requests count against the rate limit of the caller's organization. `GET /api/credential` does not count: the
 * gateway sends it to check its callers' keys, and a busy organization must not lose calls by that
 * (docs/spec/limits.md#which-requests-count).
 */
export const isCounted = (access: AccessRule): boolean =>
  access !== 'open' && access !== 'caller' && access !== 'operator';
