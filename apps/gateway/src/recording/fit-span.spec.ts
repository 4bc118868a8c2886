import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { growth } from '../../../../test/support/growth.js';
import { fitSpan, fitSpanInPieces, withoutContent } from './fit-span.js';

const span = (input: unknown, output: unknown = null, request: unknown = {}) => ({
  id: 'i',
  name: 'n'.repeat(300),
  kind: { type: 'llm_call', model: 'm'.repeat(300) },
  input,
  output,
  metadata: { endpoint: '/v1', request, status_code: 200 },
});
const parse = (json: string) => JSON.parse(json) as ReturnType<typeof span> & { metadata: { truncated?: true } };

describe('fitSpan', () => {
  it('leaves what fits as it is', () => {
    const json = JSON.stringify(span('text'));
    expect(fitSpan(json, json.length)).toBe(json);
  });

  it('cuts texts of input, output and parameters to the greatest length that fits, and says so', () => {
    const text = 'a"\\\n🌊'.repeat(2_000);
    const whole = span([{ role: 'user', content: text, [`${'k'.repeat(500)}`]: 'short' }], { text }, { user: text });
    const json = JSON.stringify(whole);
    const fit = fitSpan(json, 30_000);
    expect(fit.length).toBeLessThanOrEqual(30_000);
    const cut = [...text].slice(0, 4_096).join('');
    expect(parse(fit)).toEqual({
      ...whole,
      input: [{ ...(whole.input as object[])[0], content: cut }],
      output: { text: cut },
      metadata: { ...whole.metadata, request: { user: cut }, truncated: true },
    });
  });

  it('marks once what was marked', () => {
    const marked = { ...span('x'.repeat(5_000)), metadata: { truncated: true, request: { truncated: 'own' } } };
    const fit = fitSpan(JSON.stringify(marked), 2_000);
    expect(fit.match(/"truncated":true/g)).toHaveLength(1);
    expect(parse(fit).metadata).toEqual(marked.metadata);
  });

  it('leaves input, output and parameters out where no text is long', () => {
    const fit = fitSpan(JSON.stringify(span(Array<number>(20_000).fill(7), ['x'], { tools: [1] })), 30_000);
    const { input: _input, output: _output, ...rest } = span(null);
    expect(parse(fit)).toEqual({ ...rest, metadata: { endpoint: '/v1', status_code: 200, truncated: true } });
  });

  it('fits any value, and writes JSON', () => {
    const text = fc.string({ unit: 'binary', maxLength: 600 });
    const value = fc.letrec((tie) => ({
      value: fc.oneof(text, fc.integer(), fc.array(tie('value'), { maxLength: 4 }), fc.dictionary(text, tie('value'))),
    })).value;
    fc.assert(
      fc.property(value, value, fc.integer({ min: 1_200, max: 8_000 }), (input, output, charsMax) => {
        const json = JSON.stringify(span(input, output));
        const fit = fitSpan(json, charsMax);
        expect(fit.length).toBeLessThanOrEqual(charsMax);
        expect(parse(fit).kind).toEqual(span(null).kind);
        expect(parse(fit).metadata.truncated ?? false).toBe(json.length > charsMax);
      }),
    );
  });

  it('keeps digits as they are written', () => {
    const json = JSON.stringify(span('x'.repeat(5_000))).replace('"status_code":200', '"status_code":200.0');
    expect(fitSpan(json, 2_000)).toContain('"status_code":200.0');
  });
});

describe('withoutContent', () => {
  it('takes off what may be too deep, too much or not storable', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const json = JSON.stringify(span('"', ',')).replace('"input":"\\""', `"input":${deep}`);
    expect(JSON.parse(withoutContent(json))).toEqual({
      id: 'i',
      name: 'n'.repeat(300),
      kind: { type: 'llm_call', model: 'm'.repeat(300) },
      metadata: { endpoint: '/v1', status_code: 200, truncated: true },
    });
  });
});

describe('fitting', () => {
  it.each<[what: string, input: (size: number) => unknown]>([
    ['many small values', (size) => Array.from({ length: size }, () => [])],
    ['many names', (size) => Array.from({ length: size >> 2 }, () => ({ a: 1 }))],
    ['many texts', (size) => Array<string>(size >> 6).fill('x'.repeat(140))],
    ['escapes', (size) => '"\\\n'.repeat(size)],
  ])('takes as long as the JSON is, with %s', (_what, input) => {
    const prepare = (size: number) => {
      const json = JSON.stringify(span(input(size)));
      return () => fitSpan(json, json.length >> 6);
    };
    // What grows with the square of the JSON would take 256 times as long.
    expect(growth(prepare, 20_000, 16, 128)).toBeLessThan(128);
  });
});

it('fits in pieces, so that others have their turn in between', () => {
  const json = JSON.stringify(span('潮"'.repeat(1_000_000), { texts: Array<string>(20_000).fill('x'.repeat(130)) }));
  const fitting = fitSpanInPieces(json, json.length >> 1);
  let pieces = 1;
  let step = fitting.next();
  for (; !step.done; step = fitting.next()) pieces++;
  expect(step.value).toBe(fitSpan(json, json.length >> 1));
  expect(pieces).toBeGreaterThan(100);
});
