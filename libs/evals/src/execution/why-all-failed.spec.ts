import { describe, expect, it } from '@jest/globals';
import { whyAllFailed } from './why-all-failed.js';

describe('why all items of a run failed', () => {
  it('is told once when it is the same for all', () => {
    expect(whyAllFailed(9, [{ error: 'no answer', count: 9 }])).toBe('all 9 items failed: no answer');
    expect(whyAllFailed(1, [{ error: 'no answer', count: 1 }])).toBe('the only item failed: no answer');
  });

  it('is the commonest reason, with how many items have it', () => {
    const errors = [
      { error: 'HTTP 500 from http://a: no', count: 3 },
      { error: 'HTTP 429 from http://a: wait 1.5 s (req_a81bc81b)', count: 2 },
      { error: 'HTTP 429 from http://a: wait 20 s (req_77cd0aa2)', count: 1 },
      { error: 'HTTP 429 from http://a: wait 3 s (req_1234abcd)', count: 1 },
    ];
    expect(whyAllFailed(7, errors)).toBe(
      'all 7 items failed: HTTP 429 from http://a: wait 1.5 s (req_a81bc81b) (4 of 7)',
    );
  });

  it('keeps statuses of HTTP apart, and joins what differs in quoted text', () => {
    const statuses = [
      { error: 'HTTP 401 from S', count: 1 },
      { error: 'HTTP 404 from S', count: 1 },
    ];
    expect(whyAllFailed(2, statuses)).toBe('all 2 items failed: HTTP 401 from S (1 of 2)');
    const quoted = [
      { error: 'no score in "yes"', count: 1 },
      { error: 'no score in "perhaps"', count: 1 },
    ];
    expect(whyAllFailed(2, quoted)).toBe('all 2 items failed: no score in "yes"');
  });
});
