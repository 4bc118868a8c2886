import { DomainError } from '@spandrel/kernel';
import type { RateLimitResult } from './rate-limits.js';

/** Names the policy in both headers. */
const POLICY = '"org"';

/**
 * What every counted answer tells of the limit (docs/spec/limits.md#headers-of-the-rate-limit), by lower case name
 * (draft-ietf-httpapi-ratelimit-headers: lists of structured fields; `q` of quota in a window of `w` seconds, `r`
 * remaining, `t` seconds until all of it is back).
 */
export const limitHeaders = ({ limit, remaining, resetSeconds }: RateLimitResult): Record<string, string> => ({
  'ratelimit-policy': `${POLICY};q=${limit};w=1`,
  ratelimit: `${POLICY};r=${remaining};t=${resetSeconds}`,
});

/** The refusal of a request that was not allowed. */
export const rateLimited = ({ limit, resetSeconds }: RateLimitResult): DomainError =>
  new DomainError(
    'rate_limited',
    `the organization has reached its limit of ${limit} ${limit === 1 ? 'request' : 'requests'} a second`,
    { retryAfterSeconds: resetSeconds },
  );
