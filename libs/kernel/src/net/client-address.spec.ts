import { describe, expect, it } from '@jest/globals';
import { ClientAddresses, isNetwork } from './client-address.js';

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as Parameters<ClientAddresses['of']>[0];

describe('the address of a client', () => {
  it.each([
    ['the connection, without proxies', [], '10.0.0.1', '203.0.113.9', '10.0.0.1'],
    ['the connection, from elsewhere', ['10.0.0.0/8'], '198.51.100.7', '203.0.113.9', '198.51.100.7'],
    ['what the proxy says', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['what the proxy says, mapped', ['10.0.0.0/8'], '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['the nearest that is no proxy', ['10.0.0.0/8'], '10.0.0.1', '192.0.2.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['the farthest proxy', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a proxy of IPv6', ['2001:db8::/32'], '2001:db8::1', '203.0.113.9', '203.0.113.9'],
    ['private networks by name', ['uniquelocal'], '192.168.1.1', '203.0.113.9', '203.0.113.9'],
    ['what the proxy says, with a port', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['what the proxy says, IPv6 with a port', ['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['what the proxy says, IPv6 without one', ['10.0.0.0/8'], '10.0.0.1', '2001:db8::1:4711', '2001:db8::1:4711'],
    ['the nearest behind ports', ['10.0.0.0/8'], '10.0.0.1', '192.0.2.1:1, 203.0.113.7:2, 10.0.0.2:3', '203.0.113.7'],
    ['the proxy, where the port is none', ['10.0.0.1'], '10.0.0.1', '203.0.113.7:x', '10.0.0.1'],
    ['the proxy, where it passes on no address', ['10.0.0.1'], '10.0.0.1', 'unknown, <script>', '10.0.0.1'],
    ['the proxy, where it says nothing', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
    ['IPv4 on a socket for both', [], '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['nothing, of a connection that is gone', ['10.0.0.1'], undefined, '203.0.113.9', undefined],
  ])('is %s', (_name, proxies, remote, forwarded, expected) => {
    expect(new ClientAddresses(proxies).of(from(remote, forwarded))).toBe(expected);
  });

  it('is looked for behind networks alone', () => {
    expect(['10.0.0.1', '10.0.0.0/8', 'fd00::/8', 'loopback', 'linklocal'].filter(isNetwork)).toHaveLength(5);
    expect(['', '*', 'proxy.internal', '10.0.0.0/99', '10.0.0', 'true'].filter(isNetwork)).toEqual([]);
  });
});
