import { isIP } from 'node:net';
import { isPublicAddress, publicLookup, type Resolver } from '@spandrel/kernel';
import { buildConnector } from 'undici';

/** A connection was not made, since it would have led inward. By its code callers know it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ERR_ADDRESS_NOT_PUBLIC';
}

const refused = (): AddressRefused => new AddressRefused('the address is not public');

/**
 * Makes connections to public addresses alone: every address behind a name is checked at the moment it is dialled, and
 * so is a host that is an address, which is never looked up.
 * @param options of undici's own connector.
 */
export function publicConnector(options: buildConnector.BuildOptions, resolve?: Resolver): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: publicLookup(refused, resolve) });
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !isPublicAddress(target.hostname)) callback(refused(), null);
    else connect(target, callback);
  };
}
