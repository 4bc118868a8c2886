import { describe, expect, it } from '@jest/globals';
import { UsageFault } from './exit-codes.js';
import { readServer } from './server.js';

describe('the server that is meant', () => {
  it('is that of the options, else of the variables, else of this machine', () => {
    const env = { SPANDREL_API_URL: 'https://spandrel.example/base/', SPANDREL_API_KEY: 'spn_sk_1\n' };
    expect(readServer({}, {})).toEqual({ url: 'http://127.0.0.1:3000', key: undefined });
    expect(readServer({}, env)).toEqual({ url: 'https://spandrel.example/base', key: 'spn_sk_1' });
    expect(readServer({ url: 'http://a:1', key: 'k' }, env)).toEqual({ url: 'http://a:1', key: 'k' });
    expect(readServer({ url: 'http://a:1/api/' }, {}).url).toBe('http://a:1');
    expect(readServer({}, { SPANDREL_API_URL: 'https://spandrel.example/base/api' }).url).toBe(env.SPANDREL_API_URL.slice(0, -1)); // prettier-ignore
    expect(readServer({}, { SPANDREL_API_URL: '', SPANDREL_API_KEY: ' ' }).url).toBe('http://127.0.0.1:3000');
  });

  it('is an address of HTTP, and the key one that a header can hold', () => {
    for (const url of ['', 'localhost:3000', 'ftp://a', 'http://user@a', 'http://a/?x=1', 'http://a/#x']) {
      expect(() => readServer({ url }, {})).toThrow(UsageFault);
    }
    expect(() => readServer({}, { SPANDREL_API_URL: 'nowhere' })).toThrow(/^SPANDREL_API_URL: /);
    for (const key of ['', 'a b', 'schlüssel', 'a\nb']) expect(() => readServer({ key }, {})).toThrow(/^--key: /);
  });
});
