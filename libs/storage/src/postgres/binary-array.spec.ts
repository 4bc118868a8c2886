import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { arrayType, binaryArray } from './binary-array.js';

/** The elements of an array in Postgres's binary form. */
function elementsOf(buffer: Buffer): { type: number; hasNull: number; elements: (Buffer | null)[] } {
  expect([buffer.readInt32BE(0), buffer.readInt32BE(16)]).toEqual([1, 1]);
  const elements: (Buffer | null)[] = [];
  let offset = 20;
  for (let left = buffer.readInt32BE(12); left > 0; left--) {
    const length = buffer.readInt32BE(offset);
    offset += 4;
    elements.push(length === -1 ? null : buffer.subarray(offset, offset + length));
    offset += Math.max(0, length);
  }
  expect(offset).toBe(buffer.length);
  return { type: buffer.readInt32BE(8), hasNull: buffer.readInt32BE(4), elements };
}

describe('arrays in the binary form of Postgres', () => {
  it('hold texts as they are, and say whether there are nulls', () => {
    const texts = fc.array(fc.option(fc.string({ unit: 'grapheme' })), { minLength: 1 });
    fc.assert(
      fc.property(texts, (values) => {
        const { type, hasNull, elements } = elementsOf(binaryArray('text', values));
        expect({ type, hasNull }).toEqual({ type: 25, hasNull: values.includes(null) ? 1 : 0 });
        expect(elements.map((element) => element && element.toString())).toEqual(values);
      }),
    );
  });

  it('hold every safe integer', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger(), { minLength: 1 }), (values) => {
        const { type, elements } = elementsOf(binaryArray('integer', values));
        expect(type).toBe(20);
        expect(elements.map((element) => Number(element!.readBigInt64BE()))).toEqual(values);
      }),
    );
  });

  it('refuse what does not belong there', () => {
    expect(() => binaryArray('integer', [1.5])).toThrow('1.5 is not an integer');
    expect(() => binaryArray('text', [1])).toThrow('1 is neither text nor bytes');
  });

  it('hold numbers and bytes', () => {
    expect(elementsOf(binaryArray('number', [0.1, null])).elements[0]!.readDoubleBE()).toBe(0.1);
    const { type, elements } = elementsOf(binaryArray('bytes', [Uint8Array.of(0, 255), new Uint8Array()]));
    expect({ type, elements }).toEqual({ type: 17, elements: [Buffer.of(0, 255), Buffer.alloc(0)] });
  });

  it('have a type that a statement can name', () => {
    expect((['text', 'integer', 'number', 'bytes'] as const).map(arrayType)).toEqual([
      'text[]',
      'bigint[]',
      'double precision[]',
      'bytea[]',
    ]);
  });
});
