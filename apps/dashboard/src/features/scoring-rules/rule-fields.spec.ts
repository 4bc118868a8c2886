import { describe, expect, it } from '@jest/globals';
import type { ScoringRuleResource } from '@spandrel/contract';
import { fieldsOf, OWN_RUBRIC, readRule, rubricsOf } from './rule-fields.js';

const RULE = {
  ...{ name: 'helpful', target: 'trace', trigger: 'score', sample_rate: 0.07, quiet_ms: 45_000, cohort: 'mine' },
  filters: { model: 'gpt-5.1', min_cost: 0.02, exclude_tag: ['eval', 'internal'] },
  on_score: { name: 'thumb', source: 'end_user', value: 0, label: null },
  ...{ scoring: 'LlmJudge', scoring_config: { rubric: 'toxicity' } },
  judge: { connection_id: 'c', model: 'gpt-4o', temperature: 0.5 },
  ...{ score_name: 'good', max_cost_usd_per_day: 2 },
} as unknown as ScoringRuleResource;
const NEW = { ...fieldsOf(null, []), name: ' all ' };

describe('the fields of a scoring rule', () => {
  it('come back as they were', () => {
    const form = fieldsOf(RULE, ['toxicity']);
    expect([form.sample, form.quiet, form.excluded, form.onAnswer]).toEqual(['7', '45', 'eval, internal', '0']);
    expect(readRule(form, RULE, true)).toEqual({ ...RULE, judge: { ...RULE.judge, rubric: null } });
  });

  it('stand for what is usual where they are empty', () => {
    expect(readRule(NEW, null, true)).toEqual({
      ...{
        name: 'all',
        target: 'span',
        trigger: 'ended',
        sample_rate: 1,
        quiet_ms: null,
        cohort: null,
        on_score: null,
      },
      ...{ filters: { exclude_tag: ['eval'] }, scoring: 'LlmJudge', scoring_config: null },
      ...{ judge: { connection_id: null, model: null, rubric: null }, score_name: null, max_cost_usd_per_day: null },
    });
    expect(readRule({ ...NEW, scoring: 'Latency', excluded: '' }, null, false)).toMatchObject({
      ...{ judge: null, filters: { exclude_tag: [] } },
    });
  });

  it('have a rubric by name, or in words of one’s own', () => {
    const own = { ...RULE, scoring_config: null, judge: { ...RULE.judge, rubric: 'Is it polite?' } };
    const form = fieldsOf(own as ScoringRuleResource, ['toxicity']);
    expect([form.rubric, form.ownRubric]).toEqual([OWN_RUBRIC, 'Is it polite?']);
    expect(readRule(form, RULE, true).scoring_config).toEqual({ rubric: 'Is it polite?' });
    expect(rubricsOf({ properties: { rubric: { examples: ['tone'] } } })).toEqual(['tone']);
    expect(rubricsOf(null)).toEqual([]);
  });

  it('say what a score must be: a number is a value, all else a label', () => {
    const onScore = (onAnswer: string) =>
      readRule({ ...NEW, trigger: 'score', onName: 'thumb', onAnswer }, null, true).on_score;
    expect(onScore('0')).toEqual({ name: 'thumb', source: null, value: 0, label: null });
    expect(onScore('down')).toEqual({ name: 'thumb', source: null, value: null, label: 'down' });
    expect(onScore('')).toEqual({ name: 'thumb', source: null, value: null, label: null });
  });

  it.each([
    [{ sample: '101' }, 'sample_rate'],
    [{ min_cost: '-1' }, 'filters'],
    [{ budget: 'much' }, 'max_cost_usd_per_day'],
    [{ scoring: 'Latency', settings: '{' }, 'scoring_config'],
  ])('cannot be sent with %j', (wrong, path) => {
    expect(() => readRule({ ...NEW, ...wrong }, null, false)).toThrow(expect.objectContaining({ path }));
  });
});
