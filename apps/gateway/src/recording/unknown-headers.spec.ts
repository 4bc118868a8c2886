import { describe, expect, it } from '@jest/globals';
import { unknownHeaders } from './unknown-headers.js';

describe('unknownHeaders', () => {
  it('names what was probably meant', () => {
    expect(
      unknownHeaders({
        'x-spandrel-capture': 'Off',
        'x-spandrel-trace-id': 't',
        'x-forward-url': 'https://llm.example.com',
        'x-spandrel-captur': 'Off',
        'x-spandrel-capture-mode': 'Off',
        'x-spandrel-session': 's',
        'x-spandrel-userid': 'u',
        'x-spandrel-weather': 'rain',
      }),
    ).toEqual({
      'x-spandrel-captur': 'x-spandrel-capture',
      'x-spandrel-capture-mode': 'x-spandrel-capture',
      'x-spandrel-session': 'x-spandrel-session-id',
      'x-spandrel-userid': 'x-spandrel-user-id',
      'x-spandrel-weather': null,
    });
  });

  it('tells of a few, and of no endless name', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-spandrel-${'x'.repeat(1_000)}${n}`, '']));
    expect(JSON.stringify(unknownHeaders(many)).length).toBeLessThan(1_000);
  });
});
