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
  [{ message: 'like an error', code: 'E_NO', cause: 'why' }, 'like an error {"code":"E_NO"} (caused by: why)'],
  [{ name: 'HttpError', message: 'no', status: 404 }, 'HttpError: no {"status":404}'],
  [{ code: 429, error: { type: 'rate_limit' }, apiKey: 'sk-1' }, '{"code":429,"error":{"type":"rate_limit"},"apiKey":"[masked]"}'], // prettier-ignore
  [['a', 1], '["a",1]'],
  [new (class Refused { status = 404; })(), '{"status":404}'], // prettier-ignore
  [Object.assign(new Error('no'), { config: { key: 'sk-1' } }), 'no'],
  [{}, 'an object was thrown'],
  [Object.create(null), 'an object was thrown'],
  [unreadable, 'something unreadable was thrown'],
  [new Error('NUL \0 and \ud800'), 'NUL \ufffd and \ufffd'],
])('%#', (error, text) => expect(errorText(error)).toBe(text));
