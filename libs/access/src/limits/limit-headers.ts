import { DomainError } from '@spandrel/kernel';
import type { RateLimitResult } from './rate-limits.js';
import { LIMIT_NAMES, type LimitName } from './take-tokens.js';

/**
 * Headers of every counted answer with its limits (docs/spec/limits.md#headers-of-the-rate-limit), by lower case name
 * (draft-ietf-httpapi-ratelimit-headers: lists of structured fields; `q` of quota in a window of `w` seconds, `r`
 * remaining, `t` seconds until all of it is back). A refusal shows what remains of the limit that was reached alone.
 */
export function limitHeaders({ rates, refusedBy, remaining, resetSeconds }: RateLimitResult): Record<string, string> {
  const held = LIMIT_NAMES.flatMap((name) => (typeof rates[name] === 'number' ? [{ name, quota: rates[name] }] : []));
  const shown = held.filter(({ name }) => refusedBy === null || name === refusedBy);
  return {
    'ratelimit-policy': held.map(({ name, quota }) => `"${name}";q=${quota};w=1`).join(', '),
    ratelimit: shown.map(({ name }) => `"${name}";r=${remaining[name]};t=${resetSeconds}`).join(', '),
  };
}

const HOLDERS: Readonly<Record<LimitName, string>> = {
  org: 'the organization',
  project: 'the project',
  key: 'the API key',
  route: 'this route',
};

/** The refusal of a request that reached a limit. @param name that limit. */
export function rateLimited(name: LimitName, { rates, resetSeconds }: RateLimitResult): DomainError {
  const limit = rates[name];
  const message = `${HOLDERS[name]} has reached its limit of ${limit} ${limit === 1 ? 'request' : 'requests'} a second`;
  return new DomainError('rate_limited', message, { retryAfterSeconds: resetSeconds });
}
