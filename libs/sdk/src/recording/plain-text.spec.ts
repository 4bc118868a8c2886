import { expect, it } from '@jest/globals';
import { errorText } from './plain-text.js';

const unreadable = new Proxy({}, { get: () => { throw new Error(); } }); // prettier-ignore
const circle = new Error('a');
circle.cause = circle;

it.each<[unknown, string]>([
  [new Error('boom'), 'boom'],
  [new Error(), 'Error'],
  [new RangeError('far'), 'RangeError: far'],
  [new RangeError(), 'RangeError'],
  [new TypeError('fetch failed', { cause: new Error('refused') }), 'TypeError: fetch failed (caused by: refused)'],
  [circle, 'a (caused by: a (caused by: a (caused by: a)))'],
  ['text', 'text'],
  ['', 'an empty text was thrown'],
  [undefined, 'undefined'],
  [null, 'null'],
  [12n, '12'],
  [Symbol('s'), 'Symbol(s)'],
  [{ message: 'like an error' }, 'like an error'],
  [{}, 'an object was thrown'],
  [Object.create(null), 'an object was thrown'],
  [unreadable, 'something unreadable was thrown'],
  [new Error('NUL \0 and \ud800'), 'NUL \ufffd and \ufffd'],
])('%#', (error, text) => expect(errorText(error)).toBe(text));
