import { expect, it } from '@jest/globals';
import { changesBetween } from './changes-between.js';

it('what changed is told member by member, and nothing else', () => {
  expect(changesBetween({ a: 1, b: ['x'], c: null }, { a: 1, b: ['x'], c: null })).toEqual({});
  expect(changesBetween({ a: 1, b: ['x'], gone: true }, { a: 2, b: ['x', 'y'], added: 0 })).toEqual({
    a: { from: 1, to: 2 },
    b: { from: ['x'], to: ['x', 'y'] },
    gone: { from: true, to: null },
    added: { from: null, to: 0 },
  });
});
