import { hostList } from '@spandrel/kernel';
import type { Base } from './base-url.js';

/** Whether callers may lead a call to a base: to public addresses, to any, or not at all. */
export type ForwardAllow = (base: Pick<Base, 'hostname' | 'origin'>) => 'public' | 'any' | undefined;

/**
 * The rule of `gateway.forward_allow` and `gateway.allow_private` (docs/spec/gateway.md#where-callers-may-lead-a-call).
 * @throws StartError naming every entry that is no host, host:port or *.domain.
 */
export function forwardAllow(entries: readonly string[], privateEntries: readonly string[]): ForwardAllow {
  const listed = hostList('gateway.forward_allow', entries);
  const isPrivate = hostList('gateway.allow_private', privateEntries);
  return ({ hostname, origin }) => {
    if (isPrivate(hostname, origin.port)) return 'any';
    return listed(hostname, origin.port) ? 'public' : undefined;
  };
}
