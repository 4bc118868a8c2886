import { describe, expect, it } from '@jest/globals';
import { describeMaskerContract } from '@spandrel/plugin-api/testing';
import card, { isLuhn } from './index.js';

describeMaskerContract(
  {
    plugin: card,
    texts: [
      { text: 'card 4111 1111 1111 1111, exp 12/28', values: ['4111 1111 1111 1111'], canonical: '4111111111111111' },
      { text: '5500-0000-0000-0004 or 378282246310005', values: ['5500-0000-0000-0004', '378282246310005'] },
      { text: 'amex 3782 822463 10005, diners 3056 930902 5904', values: ['3782 822463 10005', '3056 930902 5904'] },
      { text: '4111111111111111', values: ['4111111111111111'] },
      { text: 'Paid by 6011111111111117.', values: ['6011111111111117'] },
      { text: 'card 4111 1111 1111 1111 123, exp 1228', values: ['4111 1111 1111 1111'] },
      { text: '4111-1111-1111-1111-1228', values: ['4111-1111-1111-1111'] },
      {
        text: '4111.1111.1111.1111, 3782.822463.10005.',
        values: ['4111.1111.1111.1111', '3782.822463.10005'],
        canonical: '4111111111111111',
      },
      { text: 'card\n4111\n1111\n1111\n1111\nexp', values: ['4111\n1111\n1111\n1111'], canonical: '4111111111111111' },
      { text: '5500-0000-\r\n0000-0004', values: [] },
      {
        text: '4111 1111\r\n1111 1111 and 5500-0000\n0000-0004',
        values: ['4111 1111\r\n1111 1111', '5500-0000\n0000-0004'],
      },
      { text: '4000\n4111\n1111\n1111\n1111\n4200', values: [] },
      { text: '4111.1111.1111.1112, 4111.1111-1111.1111, 4111.1111.1111.1111.5', values: [] },
      { text: 'FR70 8298 7305 6823 5267 0952 792', values: [] },
      { text: '4111111111111112, 1700000000000000, 4111 1111-1111 1111', values: [] },
      { text: 'id 94111111111111111111111, 0.4111111111111111, x4111111111111111', values: [] },
    ],
  },
  { describe, it },
);

describe('isLuhn', () => {
  it('knows the check digit, which is one of ten', () => {
    const right = [...'0123456789'].filter((last) => isLuhn(`7992739871${last}`));
    expect(right).toEqual(['3']);
  });
});
