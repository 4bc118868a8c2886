import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { UpstreamError } from './upstream-client.js';

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet: not private, loopback, link-local, metadata, mapped or reserved
 * (contract.md "Recording proxy", cloud mode).
 * @param address an IPv4 or IPv6 address as the resolver or the socket spells it.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%', 1)[0]!;
  if (!ipaddr.isValid(bare) || (!bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare))) return false;
  const parsed = ipaddr.parse(bare);
  // IPv4 in IPv6 clothes (mapped, NAT64, 6to4, Teredo) has ranges of its own and is refused with them.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST));
}

/** A `lookup` for sockets that hands out an address only when every address of the name is public. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) {
      callback(error, '', 0);
      return;
    }
    const inward = addresses.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (inward || !first) {
      callback(
        new UpstreamError('refused', 'the name resolves to an address that is not public') as NodeJS.ErrnoException,
        '',
        0,
      );
    } else if (options.all) {
      callback(null, addresses);
    } else {
      callback(null, first.address, first.family);
    }
  });
};
