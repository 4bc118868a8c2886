import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress, publicLookup, type Resolver } from '@spandrel/kernel';
import { buildConnector } from 'undici';

/** A connection was not made: its host is not known, or would have led inward. By its code callers know it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ERR_ADDRESS_NOT_PUBLIC';
}

const refused = (): AddressRefused => new AddressRefused('the address is not public');

/** How long a name that is not called takes to be refused at least, in milliseconds. */
export const REFUSAL_MS_MIN = 1_000;

/**
 * A `lookup` whose every failure is the same, and comes after the same time: a name that does not exist, one that leads
 * inward and one that nobody answers for cannot be distinguished, so that nobody learns which names there are inside
 * (docs/spec/connections.md#where-a-connection-may-lead).
 */
export const evenLookup =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) => {
    const began = performance.now();
    lookup(hostname, options, (error, ...found) => {
      if (!error) callback(null, ...found);
      else setTimeout(() => callback(refused(), '', 0), REFUSAL_MS_MIN - (performance.now() - began));
    });
  };

/**
 * Makes connections to public addresses alone: every address behind a name is checked at the moment it is dialled, and
 * so is a host that is an address, which is never looked up.
 * @param options of undici's own connector.
 */
export function publicConnector(options: buildConnector.BuildOptions, resolve?: Resolver): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: evenLookup(publicLookup(refused, resolve)) });
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !isPublicAddress(target.hostname)) callback(refused(), null);
    else connect(target, callback);
  };
}
