import { describe, expect, it } from '@jest/globals';
import { parseExactJson, type SpanKind } from '@spandrel/contract';
import { spanFacts } from './span-row.js';

describe('the cost of a span', () => {
  it.each([
    ['0.69999999999999996', 0.7],
    ['0.00012345678901234567890123', Number('0.00012345678901234568')],
    ['-0.69999999999999996', null],
    ['"0.7"', null],
  ])('sent as %s is counted as %d', (cost, counted) => {
    const kind = parseExactJson(`{"type":"custom","cost":${cost}}`) as unknown as SpanKind;
    expect(spanFacts(kind, true, new Map()).cost).toBe(counted);
  });
});
