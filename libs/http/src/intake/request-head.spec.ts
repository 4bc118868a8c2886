import { describe, expect, it } from '@jest/globals';
import { localRequestFault } from './request-head.js';

describe('localRequestFault', () => {
  it.each([
    'localhost',
    'localhost:3000',
    'LOCALHOST:3000',
    '127.0.0.1:3001',
    '127.8.9.1',
    '[::1]:3000',
    'app.localhost:80',
  ])('takes Host %s', (host) => {
    expect(localRequestFault({ host, origin: undefined })).toBeUndefined();
    expect(localRequestFault({ host, origin: `http://${host}` })).toBeUndefined();
  });

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.168.0.1:3000',
    '0.0.0.0',
    '',
    'localhost:',
    'user@localhost',
    '[::ffff:7f00:1]',
    'localhost.',
  ])('refuses Host %j', (host) => {
    expect(localRequestFault({ host, origin: undefined })).toMatch(/the header Host .* 127\.0\.0\.1 or localhost/);
  });

  it.each([
    'https://evil.example',
    'null',
    '',
    'http://localhost.evil.example',
    'file://',
    'http://127.0.0.1@evil.example',
  ])('refuses Origin %j even with a local Host', (origin) => {
    expect(localRequestFault({ host: 'localhost:3000', origin })).toMatch(/the header Origin .* from a program/);
  });

  const from = (site: string, more: Record<string, string> = {}) => ({
    host: 'localhost',
    'sec-fetch-site': site,
    ...more,
  });
  const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it.each(['same-origin', 'same-site', 'none'])('takes what a browser says comes from %s', (site) => {
    expect(localRequestFault(from(site))).toBeUndefined();
    expect(localRequestFault(from(site, { origin: 'http://localhost:5173' }))).toBeUndefined();
  });

  it.each(['cross-site', 'Cross-Site', 'same-origin, cross-site', 'cross-origin', ''])(
    'refuses what a browser says comes from %j, with or without Origin',
    (site) => {
      expect(localRequestFault(from(site))).toMatch(/the header Sec-Fetch-Site .* same host name/);
      expect(localRequestFault(from(site, { origin: 'http://localhost:5173' }))).toMatch(/Sec-Fetch-Site/);
      expect(localRequestFault(from(site, { ...link }))).toMatch(/Sec-Fetch-Site/);
    },
  );

  it('lets a link from elsewhere open a page, in a tab and not inside another page', () => {
    expect(localRequestFault(from('cross-site', link), true)).toBeUndefined();
    for (const other of [
      { 'sec-fetch-mode': 'no-cors' },
      { 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-dest': 'image' },
    ]) {
      expect(localRequestFault(from('cross-site', { ...link, ...other }), true)).toMatch(/Sec-Fetch-Site/);
    }
    expect(localRequestFault({ ...from('cross-site', link), host: 'evil.example' }, true)).toMatch(/Host/);
  });
});
