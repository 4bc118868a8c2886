import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from '@fastify/proxy-addr';
import { StartError } from '../errors.js';

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Looks public, and is answered by the host below a virtual machine (Azure's WireServer and its metadata). */
const HOST_OF_AZURE = '168.63.129.16';

/** Whether an address is of the public internet (docs/spec/gateway.md#where-callers-may-lead-a-call). */
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

/** A `lookup` for sockets that hands out addresses of names whose every address is public. @param refusal for all others. */
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

const NAMED_NETWORKS: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Whether a text names addresses of proxies: an address, a network, or `loopback`, `linklocal`, `uniquelocal`. */
export function isNetwork(text: string): boolean {
  try {
    proxyAddr.compile(text);
    // The library also takes an address of three parts, which nobody means.
    return NAMED_NETWORKS.has(text) || isIP(text.split('/', 1)[0]!) !== 0;
  } catch {
    return false;
  }
}

/** Reports from which address a request came (docs/spec/configuration.md#the-address-of-a-client). */
export class ClientAddresses {
  private readonly isTrusted: ((address: string, hop: number) => boolean) | undefined;

  /** @param proxies networks, see {@link isNetwork}; what others write into `X-Forwarded-For` counts for nothing. */
  constructor(proxies: readonly string[]) {
    this.isTrusted = proxies.length === 0 ? undefined : proxyAddr.compile([...proxies]);
  }

  /** The address of the client in its one spelling, IPv4 as such; `undefined` once the connection is gone. */
  of(request: Pick<IncomingMessage, 'socket' | 'headers'>): string | undefined {
    const { remoteAddress } = request.socket;
    if (remoteAddress === undefined) return undefined;
    const address = this.isTrusted ? forwardedFor(request, this.isTrusted) : remoteAddress;
    return isIP(address) === 4 ? address : ipaddr.process(address.split('%', 1)[0]!).toString();
  }
}

/** Proxies that a request passes at most: a client may write thousands of their addresses, each of which is compared. */
const HOPS_MAX = 32;

/** The last address that is one: what a client makes up before that of its proxy is no address of anybody. */
function forwardedFor(
  request: Pick<IncomingMessage, 'socket' | 'headers'>,
  isTrusted: (address: string, hop: number) => boolean,
): string {
  const hops = proxyAddr.all(
    request as IncomingMessage,
    (entry, hop) => hop < HOPS_MAX && isTrusted(withoutPort(entry), hop),
  );
  return hops.map(withoutPort).findLast((address) => isIP(address) !== 0) ?? request.socket.remoteAddress!;
}

/** An address with the port that some proxies write behind it: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/i;

function withoutPort(entry: string): string {
  const [, inBrackets, plainAddress] = WITH_PORT.exec(entry) ?? [];
  return inBrackets ?? plainAddress ?? entry;
}

/** Says whether a host is on a list. @param hostname lower case, without brackets or the root's dot. */
export type HostList = (hostname: string, port: number) => boolean;

export const NO_HOST_ENTRY = 'is not host, host:port or *.domain';

const ENTRY = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?$/;

/** Whether a text is an entry of {@link hostList}. */
export const isHostEntry = (text: string): boolean => ENTRY.test(normal(text));

const normal = (entry: string): string => entry.trim().toLowerCase();

/**
 * Hosts that a setting lists (docs/spec/gateway.md#where-callers-may-lead-a-call).
 * @param entries `host` (any port), `host:port`, or `*.domain` (any name below it, with `:port` if wanted).
 * @throws StartError naming every entry that is none of these.
 */
export function hostList(setting: string, entries: readonly string[]): HostList {
  const lower = entries.map(normal);
  const bad = entries.filter((entry) => !isHostEntry(entry));
  if (bad.length > 0) {
    throw new StartError(bad.map((entry) => `${setting}: "${entry}" ${NO_HOST_ENTRY}`));
  }
  const exact = new Set(lower.filter((entry) => !entry.startsWith('*.')));
  const below = lower.filter((entry) => entry.startsWith('*.')).map((entry) => entry.slice(1));
  return (hostname, port) => {
    const withPort = `${hostname}:${port}`;
    return (
      exact.has(hostname) ||
      exact.has(withPort) ||
      below.some((suffix) => (suffix.includes(':') ? withPort : hostname).endsWith(suffix))
    );
  };
}
