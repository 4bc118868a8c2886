import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

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

  /** The address of the client, IPv4 written as such; `undefined` once the connection is gone. */
  of(request: Pick<IncomingMessage, 'socket' | 'headers'>): string | undefined {
    const { remoteAddress } = request.socket;
    if (remoteAddress === undefined) return undefined;
    const address = this.isTrusted ? forwardedFor(request, this.isTrusted) : remoteAddress;
    const unmapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
    return isIP(unmapped) === 4 ? unmapped : address;
  }
}

/** The last address that is one: what a client makes up before that of its proxy is no address of anybody. */
function forwardedFor(
  request: Pick<IncomingMessage, 'socket' | 'headers'>,
  isTrusted: (address: string, hop: number) => boolean,
): string {
  const hops = proxyAddr.all(request as IncomingMessage, (entry, hop) => isTrusted(withoutPort(entry), hop));
  return hops.map(withoutPort).findLast((address) => isIP(address) !== 0) ?? request.socket.remoteAddress!;
}

/** An address with the port that some proxies write behind it: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/i;

function withoutPort(entry: string): string {
  const [, inBrackets, plainAddress] = WITH_PORT.exec(entry) ?? [];
  return inBrackets ?? plainAddress ?? entry;
}

/** How a socket that takes both spells an address of IPv4. */
const MAPPED = '::ffff:';
