import { describe, expect, it, jest } from '@jest/globals';
import { describeMaskerContract } from '@spandrel/plugin-api/testing';
import ip, { findAddresses } from './index.js';

describeMaskerContract(
  {
    plugin: ip,
    texts: [
      { text: 'from 192.168.10.21:8080 and 10.0.0.0/8.', values: ['192.168.10.21', '10.0.0.0'] },
      { text: 'host 203.0.113.9.', values: ['203.0.113.9'] },
      {
        text: '[2001:DB8::8a2e:370:7334]:443, fe80::1 and ::1',
        values: ['2001:DB8::8a2e:370:7334', 'fe80::1', '::1'],
        canonical: '2001:db8::8a2e:370:7334',
      },
      { text: '2001:0db8:85a3:0000:0000:8a2e:0370:7334', values: ['2001:0db8:85a3:0000:0000:8a2e:0370:7334'] },
      { text: '::ffff:192.168.10.21', values: ['::ffff:192.168.10.21', '192.168.10.21'] },
      { text: 'version 1.2.3.4, v1.2.3.4, 10.0.19041.1, 1.2.3.4.5, 1.2.3', values: [] },
      { text: 'at 12:34:56, std::vector, a::b, 00:1a:2b:3c:4d:5e, {"a":1,"b":2}', values: [] },
    ],
  },
  { describe, it },
);

it('looks at a run of groups that is longer than an address once, however long the run is', () => {
  const steps = (text: string): number => {
    const slice = jest.spyOn(String.prototype, 'slice');
    try {
      expect(findAddresses(text)).toEqual([]);
      return slice.mock.calls.length;
    } finally {
      slice.mockRestore();
    }
  };
  const few = steps('::1:'.repeat(20));
  expect(few).toBeGreaterThan(0);
  expect(steps('::1:'.repeat(2_000))).toBe(few);
  expect(findAddresses(`${'::1:'.repeat(20)} ::1`)).toEqual([{ start: 81, end: 84 }]);
});
