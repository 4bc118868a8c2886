import { describe, expect, it } from '@jest/globals';
import { describeScorerContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import regex from './index.js';

const CASES: [output: string, config: object, score: 0 | 1][] = [
  ['order 4711 is on its way', { pattern: '\\d{4}' }, 1],
  ['order is on its way', { pattern: '\\d{4}' }, 0],
  ['4711', { pattern: '^\\d{4}$' }, 1],
  ['4711\n', { pattern: '^\\d{4}$' }, 0],
  ['a\n4711', { pattern: '(?m)^\\d{4}$' }, 1],
  ['PARIS', { pattern: 'paris' }, 0],
  ['PARIS', { pattern: 'paris', ignore_case: true }, 1],
  ['I am sorry', { pattern: '(?i)sorry', must_match: false }, 0],
  ['Gladly', { pattern: '(?i)sorry', must_match: false }, 1],
  ['', { pattern: '^$' }, 1],
  ['Straße \u{1F600}', { pattern: '^\\p{L}+ .$' }, 1],
  [`${'a'.repeat(50_000)}!`, { pattern: '^(a+)+$' }, 0],
];

describeScorerContract(
  {
    plugin: regex,
    configs: {
      accepted: [{}, { pattern: 'x', ignore_case: true, must_match: false }],
      refused: [{ pattern: '' }, { pattern: 7 }, { pattern: 'x'.repeat(1_001) }, { regex: 'x' }, null],
    },
    needsExpected: false,
    refusedRuns: ['(', '(a)\\1', 'a(?=b)', '((a{1,1000}){1,1000})', '\\pL'.repeat(333), undefined].map((pattern) => ({
      config: { pattern },
      path: 'pattern',
    })),
    samples: CASES.map(([output, config, expected]) => ({
      name: `${JSON.stringify(output).slice(0, 40)} by ${JSON.stringify(config)}`,
      sample: { output, config },
      expected,
    })),
  },
  { describe, it },
);

describe('Regex', () => {
  it('says what is wrong with a pattern', async () => {
    const { configFaults } = await setUpPlugin(regex, {});
    const faultOf = (pattern?: string) => configFaults!({ pattern, ignore_case: false, must_match: true })[0]!.message;
    expect(faultOf()).toBe('is required');
    expect(faultOf('a(?=b)')).toMatch(/^cannot be used: .*\(\?=/);
    expect(faultOf('(a?){1000}a{1000}')).toMatch(/^cannot be used: the pattern has \d+ steps/);
  });
});
