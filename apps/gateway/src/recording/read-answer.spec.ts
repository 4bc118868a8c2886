import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { growth } from '../../../../test/support/growth.js';
import { parsePartialJson } from './read-answer.js';

const SLASH = '\\';

describe('parsePartialJson', () => {
  it('finds beginning and end of an object whose middle is missing', () => {
    const text = JSON.stringify({
      messages: [
        { role: 'user', content: 'x'.repeat(500) },
        { role: 'user', content: 'lost' },
      ],
      model: 'gpt',
      usage: { total: 5 },
    });
    expect(parsePartialJson(text.slice(0, 100), text.slice(-60))).toMatchObject({
      messages: [{ role: 'user', content: expect.stringMatching(/^x+$/) }],
      model: 'gpt',
      usage: { total: 5 },
    });
  });

  it('finds the members of the end, whatever they hold', () => {
    const tools = Array.from({ length: 100 }, (_, n) => ({ name: `tool "${n}", [`, parameters: { a: [1, 2], b: {} } }));
    const object = { messages: ['x'.repeat(500)], model: 'gpt', tools, end: SLASH, last: `${SLASH}"`, on: null };
    const text = JSON.stringify(object, null, 2);
    const read = parsePartialJson(text.slice(0, 100), `${text.slice(300)}\n`);
    expect(read).toEqual({ ...object, messages: [expect.stringMatching(/^x+$/)] });
  });

  it('goes on with the list in which the beginning breaks off', () => {
    const messages = Array.from({ length: 50 }, (_, n) => ({ role: 'user', content: [`"${n}"`] }));
    const text = JSON.stringify({ model: 'gpt', messages, stop: [1] });
    const read = (same: boolean) => parsePartialJson(text.slice(0, 200), text.slice(-200), same);
    const { messages: list, ...others } = read(true) as { messages: unknown[] };
    expect(others).toEqual({ model: 'gpt', stop: [1] });
    expect(list.length).toBeLessThan(20);
    expect([list.slice(0, 3), list.slice(-3)]).toEqual([messages.slice(0, 3), messages.slice(-3)]);
    expect((read(false) as { messages: unknown[] }).messages).not.toContainEqual(messages.at(-1));
  });

  it('reads of any end of an object what stands there whole', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, cut) => {
        const text = JSON.stringify(object);
        const read = parsePartialJson('{}', text.slice(cut % text.length)) as Record<string, unknown>;
        for (const [name, value] of Object.entries(read)) {
          expect(JSON.stringify(value)).toBe(JSON.stringify((JSON.parse(text) as typeof object)[name]));
        }
      }),
    );
  });

  it('makes an object of any beginning of one, and never throws', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, cut) => {
        const text = JSON.stringify(object);
        const read = parsePartialJson(text.slice(0, 1 + (cut % text.length)), '');
        expect(typeof read).toBe('object');
      }),
    );
  });

  it('gives nothing for what is no JSON', () => {
    expect(parsePartialJson('<html>', 'x')).toBeUndefined();
  });

  it.each<[cut: string, read: unknown]>([
    [`{"a":"x${SLASH}`, { a: 'x' }],
    [`{"a":"x${SLASH}${SLASH}`, { a: `x${SLASH}` }],
    [`{"a":"x${SLASH}${SLASH}${SLASH}`, { a: `x${SLASH}` }],
    [`{"a":"x${SLASH}u12`, { a: 'x' }],
    [`{"a":"x${SLASH}${SLASH}u12`, { a: `x${SLASH}u12` }],
    ['{"a":1, "b', { a: 1 }],
    ['{"a":1,\n  "b', { a: 1 }],
    ['{"a":["b', { a: ['b'] }],
    ['{"a":[{"b":1},2', { a: [{ b: 1 }] }],
    ['{"a":"b","c":"d', { a: 'b', c: 'd' }],
  ])('reads %s', (cut, read) => {
    expect(parsePartialJson(cut, '')).toEqual(read);
  });

  it.each<[what: string, text: (size: number) => string]>([
    ['commas in depth', (size) => '['.repeat(190) + '1,'.repeat(size)],
    ['brackets', (size) => '['.repeat(size)],
    ['backslashes in a text', (size) => `{"a":"${'\\\\'.repeat(size)}`],
    ['commas', (size) => '{"a":[' + '1,'.repeat(size)],
    ['quotes', (size) => `{"a":"${'"'.repeat(size)}`],
    ['escaped quotes', (size) => `{"a":"${`${SLASH}"`.repeat(size)}"}`],
    ['texts behind blanks', (size) => `{"a":[${`"a",${' '.repeat(60)}`.repeat(size >> 5)}`],
  ])('takes as long as the text is, with %s', (_what, text) => {
    const prepare = (size: number) => {
      const cut = text(size);
      return () => parsePartialJson(cut, cut.slice(-65_536 * 8), true);
    };
    // What grows with the square of the text would take 256 times as long; what no cache holds takes up to 70 times.
    expect(growth(prepare, 40_000, 16, 128)).toBeLessThan(128);
  });
});
