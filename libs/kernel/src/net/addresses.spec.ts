import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { isPrivateHost, isPublicAddress, publicLookup, ClientAddresses, isNetwork } from './addresses.js';

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '2a00:1450:4001::200e'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '168.63.129.16',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    '::7f00:1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    'localhost',
    '',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('isPrivateHost', () => {
  const hostOf = (url: string): string => new URL(url).hostname;

  it.each([
    'http://169.254.169.254/latest',
    'http://10.1.2.3',
    'http://127.0.0.1:11434',
    'http://127.1',
    'http://0x7f.0.0.1',
    'http://0x7f000001',
    'http://2130706433',
    'http://017700000001',
    'http://0177.0.0.01',
    'http://①②⑦.0.0.1',
    'http://0',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:10.0.0.1]',
    'http://[::ffff:a9fe:a9fe]',
    'http://[64:ff9b::10.0.0.1]',
    'http://[fd00:ec2::254]',
    'http://localhost',
    'http://localhost.',
    'http://LOCALHOST:80',
    'http://model.localhost',
    'http://127.0.0.1.',
  ])('%s cannot be public', (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(true);
  });

  it.each([
    'https://api.openai.com',
    'http://8.8.8.8',
    'http://[2606:4700::1111]',
    'http://notlocalhost',
    'http://a.b',
  ])('%s may be', (url) => {
    expect(isPrivateHost(hostOf(url))).toBe(false);
  });
});

describe('publicLookup', () => {
  const ask = (addresses: string[] | Error, options: { all?: boolean } = { all: true }) =>
    new Promise<unknown[]>((resolve) => {
      const lookup = publicLookup(
        () => new Error('refused'),
        (_hostname, asked, callback) => {
          expect(asked.all).toBe(true);
          if (addresses instanceof Error) callback(addresses, []);
          else
            callback(
              null,
              addresses.map((address): LookupAddress => ({ address, family: 4 })),
            );
        },
      );
      lookup('a.example', options, (...answer) => resolve(answer));
    });

  it('hands out addresses that are all public', async () => {
    expect(await ask(['8.8.8.8', '1.1.1.1'])).toEqual([
      null,
      [
        { address: '8.8.8.8', family: 4 },
        { address: '1.1.1.1', family: 4 },
      ],
    ]);
    expect(await ask(['8.8.8.8', '1.1.1.1'], {})).toEqual([null, '8.8.8.8', 4]);
  });

  it('hands out none when one of them leads inward, or there is none', async () => {
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:8.8.8.8'], []]) {
      for (const options of [{ all: true }, {}]) {
        expect((await ask(addresses, options))[0]).toMatchObject({ message: 'refused' });
      }
    }
  });

  it('passes on that the name is not known', async () => {
    expect((await ask(new Error('ENOTFOUND')))[0]).toMatchObject({ message: 'ENOTFOUND' });
  });
});

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
    ['IPv4, however it is mapped', ['10.0.0.1'], '10.0.0.1', '::FFFF:203.0.113.9', '203.0.113.9'],
    ['IPv4, mapped in hexadecimal', ['10.0.0.1'], '10.0.0.1', '::ffff:cb00:7109', '203.0.113.9'],
    ['one spelling of IPv6, without its zone', ['10.0.0.1'], '10.0.0.1', '2001:DB8:0::7%any', '2001:db8::7'],
    ['the proxy, of a zone alone', ['fe80::/10'], 'fe80::1%eth0', undefined, 'fe80::1'],
    ['the 33rd proxy of many', ['10.0.0.0/8'], '10.0.0.1', `203.0.113.9${', 10.0.0.2'.repeat(5_000)}`, '10.0.0.2'],
    ['nothing, of a connection that is gone', ['10.0.0.1'], undefined, '203.0.113.9', undefined],
  ])('is %s', (_name, proxies, remote, forwarded, expected) => {
    expect(new ClientAddresses(proxies).of(from(remote, forwarded))).toBe(expected);
  });

  it('is looked for behind networks alone', () => {
    expect(['10.0.0.1', '10.0.0.0/8', 'fd00::/8', 'loopback', 'linklocal'].filter(isNetwork)).toHaveLength(5);
    expect(['', '*', 'proxy.internal', '10.0.0.0/99', '10.0.0', 'true'].filter(isNetwork)).toEqual([]);
  });
});
