import { hostList } from '@spandrel/kernel';
import type { Base } from './base-url.js';

/** Tells whether `X-Forward-URL` may lead to a base. */
export type ForwardAllow = (base: Base) => boolean;

/**
 * The rule of `gateway.forward_allow` (docs/spec/gateway.md#where-callers-may-lead-a-call).
 * @throws StartError naming every entry that is no host, host:port or *.domain.
 */
export function forwardAllow(entries: readonly string[]): ForwardAllow {
  const listed = hostList('gateway.forward_allow', entries);
  return ({ hostname, origin }) => listed(hostname, origin.port);
}
