import { describe, expect, it } from '@jest/globals';
import { localRequestFault } from './local-request.js';

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
});
