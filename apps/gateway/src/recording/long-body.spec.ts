import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyBuffer, type BufferedBody } from './body-buffer.js';
import { BodyBudget, type BodyForm, JSON_FORM } from './long-body.js';

const KIB = 1024;
const MIB = KIB * KIB;

/** What is kept of a text that comes in pieces of such lengths, in turn; the beginning has 100 bytes. */
function keptOf(text: string, form: BodyForm, lengths: readonly number[]): BufferedBody {
  const body = new BodyBuffer(100, new BodyBudget(Infinity));
  body.describe = () => ({ codings: [], form });
  const bytes = Buffer.from(text);
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const length = lengths[n % lengths.length]!;
    body.add(bytes.subarray(at, at + length), n);
    at += length;
  }
  return body.finish();
}

const textOf = ({ pieces, tail }: BufferedBody): string =>
  Buffer.concat([...pieces, ...tail].map(({ data }) => data)).toString();

const events = (...data: unknown[]): string => data.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const parsed = (kept: BufferedBody): Record<string, unknown>[] =>
  textOf(kept)
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)) as Record<string, unknown>);

/** A stream whose events are text alone where they have the member `text`. */
const SSE: BodyForm = {
  framing: 'sse',
  weightOf: (event) => (event.includes('"text"') ? 'text' : event.includes('"nothing"') ? 'nothing' : 'more'),
};

describe('what is kept of a long JSON value', () => {
  it('is all but the middle of its long strings', () => {
    const image = 'A'.repeat(3 * MIB);
    const value = {
      first: 1,
      messages: [{ image }, { image }, { say: 'hello' }],
      model: 'm',
      end: 'x'.repeat(400 * KIB),
    };
    const kept = keptOf(JSON.stringify(value), JSON_FORM, [65_536]);
    expect(kept.gap).toBe('none');
    const read = JSON.parse(textOf(kept)) as typeof value;
    expect(read).toMatchObject({ first: 1, messages: [{}, {}, { say: 'hello' }], model: 'm' });
    expect(read.messages.map((message) => message.image?.length)).toEqual([16 * KIB, 16 * KIB, undefined]);
    expect(read.end).toMatch(/^x{16384,}$/);
  });

  it('is valid, wherever a string is cut', () => {
    const characters = ['a', '"', '\\', 'é', '満', '😀', '\n', '\ud83d'];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 7 }),
        fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        (unit, lengths, isAscii) => {
          const text = unit.join('').repeat(Math.ceil((300 * KIB) / unit.length));
          const json = JSON.stringify({ begin: 'x'.repeat(90), text, end: 7 });
          const escaped = [...json].map((char) =>
            char > '~'
              ? [...Array(char.length).keys()]
                  .map((n) => `\\u${char.charCodeAt(n).toString(16).padStart(4, '0')}`)
                  .join('')
              : char,
          );
          const sent = isAscii ? escaped.join('') : json;
          const kept = keptOf(sent, JSON_FORM, lengths);
          const read = JSON.parse(textOf(kept)) as { text: string; end: number };
          expect(read.end).toBe(7);
          expect(text.startsWith(read.text.slice(0, 2_000))).toBe(true);
          expect(textOf(kept)).toBe(textOf(keptOf(sent, JSON_FORM, [1_000_000])));
        },
      ),
      { numRuns: 30 },
    );
  }, 60_000);

  it('ends with a gap where there is too much of it, in the member or not', () => {
    const numbers = Array<number>(2 * MIB).fill(1);
    const inside = keptOf(JSON.stringify({ a: 'b', input: [numbers, numbers], model: 'm' }), JSON_FORM, [10_000]);
    expect([inside.gap, textOf(inside).endsWith(',1]],"model":"m"}')]).toEqual(['in-member', true]);
    const across = keptOf(JSON.stringify({ a: 'b', first: numbers, second: numbers }), JSON_FORM, [10_000]);
    expect(across.gap).toBe('unknown');
  });
});

describe('what is kept of a long stream', () => {
  const image = 'A'.repeat(2 * MIB);

  it('are all events, long strings cut, however it comes', () => {
    const stream = events({ n: 0 }, { n: 1, image }, { n: 2 }, { n: 3, image, all: [image, image] }, { n: 4, used: 9 });
    const kept = keptOf(stream, SSE, [65_536]);
    expect(kept.gap).toBe('none');
    expect(parsed(kept).map(({ n }) => n)).toEqual([0, 1, 2, 3, 4]);
    expect(parsed(kept)[1]!['image']).toHaveLength(16 * KIB);
    expect(kept.bytes).toBe(stream.length);
    for (const lengths of [[1_000, 3, 70_000], [999_999]]) {
      expect(textOf(keptOf(stream, SSE, lengths))).toBe(textOf(kept));
    }
  });

  it('of an event with very many long strings are their beginnings', () => {
    const stream = events({ n: 0 }, { n: 1, all: Array<string>(400).fill('B'.repeat(20_000)), used: 9 });
    const read = parsed(keptOf(stream, SSE, [65_536]));
    expect(read[1]).toMatchObject({ n: 1, used: 9 });
  });

  it('are those first that are more than text', () => {
    const texts = Array.from({ length: 20_000 }, (_, n) => ({ text: `word ${n}`, more: 'x'.repeat(200) }));
    const tools = Array.from({ length: 20 }, (_, n) => ({ tool: n, more: 'y'.repeat(15_000) }));
    const nothing = { nothing: 'z'.repeat(15_000) };
    const kept = keptOf(
      events(
        { begin: 1 },
        ...tools.flatMap((tool, n) => [
          ...texts.slice(1_000 * n, 1_000 * (n + 1)),
          ...Array.from({ length: 5 }, () => nothing),
          tool,
        ]),
        {
          end: 1,
        },
      ),
      SSE,
      [5_000],
    );
    expect(kept.gap).toBe('none');
    const read = parsed(kept);
    expect(read.filter((event) => 'tool' in event)).toEqual(tools);
    expect([read[0], read.at(-1)]).toEqual([{ begin: 1 }, { end: 1 }]);
    const words = read.flatMap(({ text }) => (typeof text === 'string' ? [Number(text.slice(5))] : []));
    expect(words).toEqual(words.toSorted((a, b) => a - b));
    expect(words.length).toBeLessThan(8_000);
  });

  it('says that the end is lost where the last event is too much', () => {
    const numbers = Array<number>(4 * MIB).fill(1);
    const first = { n: 0, pad: 'x'.repeat(100) };
    expect(keptOf(events(first, { numbers }), SSE, [65_536]).gap).toBe('unknown');
    const kept = keptOf(events(first, { n: 1, numbers }, { n: 2, image }, { n: 3 }), SSE, [65_536]);
    expect(kept.gap).toBe('none');
    expect(parsed(kept).map(({ n }) => n)).toEqual([0, 2, 3]);
  });

  it.each(['\n', '\r\n', '\r'])('knows events whose lines end in %j', (end) => {
    const numbers = Array<number>(2 * MIB).fill(1);
    const stream = [{ n: 0, pad: 'x'.repeat(100) }, { n: 1 }, { numbers }, { n: 2 }, { pad: 'y'.repeat(300 * KIB) }]
      .map((event) => `event: e${end}data: ${JSON.stringify(event)}${end}${end}`)
      .join('');
    const kept = textOf(keptOf(stream, SSE, [1_000]));
    expect([...kept.matchAll(/"n":(\d)/g)].map(([, n]) => n)).toEqual(['0', '1', '2']);
    expect(kept).not.toContain('numbers');
  });
});
