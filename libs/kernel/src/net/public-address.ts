import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Looks public, and is answered by the host below a virtual machine (Azure's WireServer and its metadata). */
const HOST_OF_AZURE = '168.63.129.16';

/**
 * Whether an address is one of the public internet (docs/spec/gateway.md#where-callers-may-lead-a-call).
 * @param address an IPv4 or IPv6 address as the resolver or the socket spells it.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%', 1)[0]!;
  if (!ipaddr.isValid(bare) || (!bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare))) return false;
  const parsed = ipaddr.parse(bare);
  if (parsed.toString() === HOST_OF_AZURE) return false;
  // IPv4 in IPv6 clothes (mapped, NAT64, 6to4, Teredo) has ranges of its own and is refused with them.
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST));
}

/** This machine by its name (RFC 6761), with or without the root's dot. */
const LOCALHOST = /(?:^|\.)localhost\.?$/i;

/** Whether a host cannot be public, whatever a resolver says. @param hostname as `URL` has it. */
export function isPrivateHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? LOCALHOST.test(bare) : !isPublicAddress(bare);
}

/** Finds the addresses of a name, as `dns.lookup` does. */
export type Resolver = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for sockets that hands out an address only when every address of the name is public. Hosts that are
 * addresses are not asked about. @param refusal makes the error for a name that leads inward.
 */
export const publicLookup =
  (refusal: () => Error, resolve: Resolver = (...asked) => dns.lookup(...asked)): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        callback(refusal() as NodeJS.ErrnoException, '', 0);
      } else if (options.all) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
