import type { ApiScope } from '@spandrel/contract';

/**
 * Who may call a route in cloud mode, declared beside it: `open` everyone; a scope those whose credential has it, on
 * the data of their own project (`admin`: of their own organization, and the operator); `caller` everyone with a valid
 * credential; `operator` who holds the admin token, or for `/metrics` the token for metrics.
 */
export type AccessRule = 'open' | ApiScope | 'caller' | 'operator';

/**
 * Whether requests count against the limit of the caller's organization. Being told what one's credential is does not
 * count: the gateway asks in the name of callers, and a busy organization must not lose calls by it
 * (docs/spec/limits.md#which-requests-count).
 */
export const isCounted = (access: AccessRule): boolean =>
  access !== 'open' && access !== 'caller' && access !== 'operator';
