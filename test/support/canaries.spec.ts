import { describe, expect, it } from '@jest/globals';
import { Canaries } from './canaries.js';

describe('Canaries', () => {
  const canaries = new Canaries();
  const secret = canaries.plant('here');
  canaries.plant('elsewhere');

  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ error: `no such key ${secret}.` })],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ secret }))],
    ['in a URL', `https://host/?key=${encodeURIComponent(secret)}`],
    ['its first half', secret.slice(0, 14)],
    ['its end, behind a mask', `sk-***${secret.slice(-7)}`],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in capital hex', Buffer.from(secret).toString('hex').toUpperCase()],
    ...[0, 1, 2, 3, 4].map((before): [string, string] => [
      `in base64, ${before} bytes in`,
      Buffer.from(`${':'.repeat(before)}${secret}:`).toString('base64'),
    ]),
    ['in base64url', Buffer.from(secret).toString('base64url')],
  ])('are found %s', (_spelling, text) => {
    const found = canaries.findIn(`before ${text} after`);
    expect(found.length).toBeGreaterThan(0);
    for (const find of found) expect(find).toMatch(/^here /);
  });

  it('are not found where they are not', () => {
    expect(canaries.findIn(`sk-"/\\%+ ${new Canaries().plant('other')} ${secret.slice(0, 9)}`)).toEqual([]);
  });

  it('are found in files and tables of any format, by their names', () => {
    const contents: [string, Buffer][] = [
      ['utf16', Buffer.from(secret, 'utf16le')],
      ['binary', Buffer.concat([Buffer.alloc(5, 255), Buffer.from(secret), Buffer.alloc(5)])],
      ['empty', Buffer.alloc(0)],
      ['secret.key', Buffer.from(secret)],
    ];
    expect(canaries.findInContents(contents, ['secret.key'])).toEqual(['utf16: here (UTF-16)', 'binary: here (plain)']);
    expect(canaries.findInContents(contents)).toHaveLength(3);
  });
});
