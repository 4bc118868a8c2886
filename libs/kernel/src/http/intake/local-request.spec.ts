import { describe, expect, it } from '@jest/globals';
import { isLocalRequest } from './local-request.js';

describe('isLocalRequest', () => {
  it.each([
    'localhost',
    'localhost:3000',
    'LOCALHOST:3000',
    '127.0.0.1:3001',
    '127.8.9.1',
    '[::1]:3000',
    'app.localhost:80',
  ])('takes Host %s', (host) => {
    expect(isLocalRequest({ host, origin: undefined })).toBe(true);
    expect(isLocalRequest({ host, origin: `http://${host}` })).toBe(true);
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
    expect(isLocalRequest({ host, origin: undefined })).toBe(false);
  });

  it.each([
    'https://evil.example',
    'null',
    '',
    'http://localhost.evil.example',
    'file://',
    'http://127.0.0.1@evil.example',
  ])('refuses Origin %j even with a local Host', (origin) => {
    expect(isLocalRequest({ host: 'localhost:3000', origin })).toBe(false);
  });
});
