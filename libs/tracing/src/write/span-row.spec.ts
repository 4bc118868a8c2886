import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExactJson, type SpanKind } from '@spandrel/contract';
import { mergedMetadata, mergeMetadataAhead, spanFacts } from './span-row.js';

describe('metadata that are merged as they are stored', () => {
  const metadata = fc.dictionary(fc.constantFrom('a', 'b', '"', '\\', '1', '__proto__', ''), fc.jsonValue());
  const exact = (object: object): Record<string, unknown> =>
    parseExactJson(JSON.stringify(object)) as Record<string, unknown>;

  it('are those of both, the added ones in the place of others', () => {
    fc.assert(
      fc.property(metadata, metadata, (before, added) => {
        const stored = Object.keys(before).length === 0 ? null : JSON.stringify(before);
        const merged = mergedMetadata(stored, exact(added));
        const both = Object.fromEntries([...Object.entries(before), ...Object.entries(added)]);
        expect(merged === null ? {} : exact(JSON.parse(merged) as object)).toEqual(exact(both));
      }),
    );
  });

  it('are merged ahead, unless the stored ones have changed since', async () => {
    const added = { b: 2 };
    await mergeMetadataAhead('{"a":1,"b":1}', added);
    expect(mergedMetadata('{"a":1,"b":1}', added)).toBe('{"a":1,"b":2}');
    expect(mergedMetadata('{"a":3}', added)).toBe('{"a":3,"b":2}');
  });

  it('keep their digits', () => {
    expect(mergedMetadata('{"a":9007199254740993,"b":1}', { b: 2 })).toBe('{"a":9007199254740993,"b":2}');
  });

  it('are nothing where there are none', () => {
    expect(mergedMetadata(null, {})).toBeNull();
  });
});

describe('the cost of a span', () => {
  it.each([
    ['0.69999999999999996', 0.7],
    ['0.00012345678901234567890123', Number('0.00012345678901234568')],
    ['-0.69999999999999996', null],
    ['"0.7"', null],
  ])('sent as %s is counted as %d', (cost, counted) => {
    const kind = parseExactJson(`{"type":"custom","cost":${cost}}`) as unknown as SpanKind;
    expect(spanFacts(kind, 0, new Map()).cost).toBe(counted);
  });
});
