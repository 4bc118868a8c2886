import { describe, expect, it } from '@jest/globals';
import { measureWidths } from './measure-widths.js';
import { spanOf } from './fixtures/spans.js';

const call = (tokensIn: number, tokensOut: number, measures: Record<string, number>) =>
  spanOf('s', null, 0, 5, {
    kind: { type: 'llm_call', input_tokens: tokensIn, output_tokens: tokensOut },
    metadata: measures,
  });

describe('measureWidths', () => {
  const headers = measureWidths([]);

  it('leaves room for the headers', () => {
    expect(measureWidths([spanOf('s', null, 0, null), call(0, 0, { duration_ms: 12, cost: 0 })])).toEqual(headers);
  });

  it('goes with the longest texts: of minutes, of many tokens, of large costs', () => {
    const { duration, tokens, cost } = measureWidths([
      call(12_345, 678, { duration_ms: 125_000, total_tokens: 13_023, cost: 1_234.5 }),
      call(1, 2, { duration_ms: 3, total_tokens: 3, cost: 0.000_001_23 }),
    ]);
    expect(duration).toBeGreaterThan(headers.duration);
    // The texts are `12,345 → 678` and `$1,234.500000`, drawn with digits of 7.6 pixels.
    expect(tokens).toBeGreaterThanOrEqual(8 * 7.6 + 2 * 3.8 + 10);
    expect(cost).toBeGreaterThanOrEqual(11 * 7.6 + 2 * 3.8);
  });

  it('leaves room for the arrow where no comma makes it', () => {
    expect(measureWidths([call(123, 456, {})]).tokens).toBeGreaterThanOrEqual(6 * 7.6 + 2 * 3.8 + 10);
  });

  it('is that of a sum where only that is known', () => {
    const sum = spanOf('s', null, 0, 5, { metadata: { total_tokens: 123_456_789 } });
    expect(measureWidths([sum]).tokens).toBeGreaterThanOrEqual(9 * 7.6);
  });
});
