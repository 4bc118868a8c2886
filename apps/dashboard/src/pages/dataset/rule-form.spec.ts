import type { CaptureRuleResource } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { describeFilters } from '../../features/span-filters/filter-form.js';
import { formOf, readRule } from './rule-form.js';

const RULE = {
  name: 'dear calls',
  filters: { model: 'gpt-5.1', status: 'failed', min_cost: 0.02, min_tokens: 0 },
  sample_rate: 0.07,
} as const;

describe('the fields of a rule', () => {
  it('come back as they were', () => {
    const form = formOf(RULE as unknown as CaptureRuleResource);
    expect([form.min_cost, form.min_tokens, form.sample, form.tag]).toEqual(['0.02', '0', '7', '']);
    expect(readRule(form)).toEqual(RULE);
  });

  it('count only where they are filled in', () => {
    expect(readRule({ ...formOf(null), name: ' all ' })).toEqual({ name: 'all', filters: {}, sample_rate: 1 });
  });

  it.each([{ sample: '101' }, { sample: '' }, { min_cost: '-1' }, { min_tokens: 'many' }])(
    'are none with %j',
    (wrong) => {
      expect(readRule({ ...formOf(null), ...wrong })).toBeNull();
    },
  );

  it('are said in words', () => {
    expect(describeFilters(RULE.filters)).toBe('Model gpt-5.1, Status failed, Cost ≥ $0.02, Tokens ≥ 0');
    expect(describeFilters({ kind: 'llm_call', min_duration_ms: 900 })).toBe('Kind LLM call, Duration ≥ 900 ms');
    expect(describeFilters({ tag: null })).toBe('Every finished span');
  });
});
