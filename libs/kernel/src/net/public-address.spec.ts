import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { isPrivateHost, isPublicAddress, publicLookup } from './public-address.js';

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
