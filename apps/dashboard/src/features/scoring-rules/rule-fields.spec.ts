import { describe, expect, it } from '@jest/globals';
import type { ScoringRuleResource } from '@spandrel/contract';
import { OWN_RUBRIC, readRule, rubricOf, rubricsOf, textOf } from './rule-fields.js';

const RULE = {
  ...{ name: 'helpful', target: 'trace', trigger: 'score', sample_rate: 0.07, quiet_ms: 45_000, cohort: 'mine' },
  filters: { model: 'gpt-5.1', min_cost: 0.02, exclude_tag: ['eval', 'internal'] },
  on_score: { name: 'thumb', source: 'end_user', value: 0, label: null },
  ...{ scoring: 'LlmJudge', scoring_config: { rubric: 'toxicity' } },
  judge: { connection_id: 'c', model: 'gpt-4o', temperature: 0.5 },
  ...{ score_name: 'good', max_cost_usd_per_day: 2 },
} as unknown as ScoringRuleResource;
const FIELDS = [
  ...['name', 'target', 'trigger', 'sample_rate', 'quiet_ms', 'cohort', 'filters.exclude_tag', 'scoring'],
  ...['on_score.name', 'on_score.source', 'on_score.value', 'on_score.label', 'judge.connection_id', 'judge.model'],
  ...['score_name', 'max_cost_usd_per_day'],
];

/** A form with what is filled in. */
function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}
const NEW = { name: ' all ', target: 'span', trigger: 'ended', sample_rate: '100', scoring: 'LlmJudge' };

describe('the fields of a scoring rule', () => {
  it('come back as they were', () => {
    const fields = Object.fromEntries(FIELDS.map((path) => [path, textOf(RULE, path)]));
    expect([fields['sample_rate'], fields['filters.exclude_tag'], fields['on_score.value']]).toEqual([
      ...['7', 'eval, internal', '0'],
    ]);
    const form = formOf({ ...fields, rubric: rubricOf(RULE) });
    expect(readRule(form, RULE.filters, RULE)).toEqual({ ...RULE, judge: { ...RULE.judge, rubric: null } });
  });

  it('stand for what is usual where they are empty or not there', () => {
    expect([textOf(null, 'sample_rate'), textOf(null, 'filters.exclude_tag'), textOf(null, 'judge.model')]).toEqual([
      ...['100', 'eval, try', ''],
    ]);
    expect(readRule(formOf({ ...NEW, 'judge.connection_id': '' }), {}, null)).toEqual({
      ...{ name: 'all', target: 'span', trigger: 'ended', sample_rate: 1, quiet_ms: null, cohort: null },
      ...{ on_score: null, filters: { exclude_tag: [] }, scoring: 'LlmJudge', scoring_config: null },
      ...{ judge: { connection_id: null, model: null, rubric: null }, score_name: null, max_cost_usd_per_day: null },
    });
    expect(readRule(formOf({ ...NEW, scoring: 'Latency' }), {}, null).judge).toBeNull();
  });

  it('have a rubric by name, or in words of one’s own', () => {
    const own = { ...RULE, scoring_config: null, judge: { ...RULE.judge, rubric: 'Is it polite?' } };
    expect(rubricOf(own as ScoringRuleResource)).toBe('Is it polite?');
    const form = formOf({ ...NEW, rubric: OWN_RUBRIC, 'scoring_config.rubric': 'Is it polite?' });
    expect(readRule(form, {}, null).scoring_config).toEqual({ rubric: 'Is it polite?' });
    expect(rubricsOf({ properties: { rubric: { examples: ['tone'] } } })).toEqual(['tone']);
    expect(rubricsOf(null)).toEqual([]);
  });

  it('have the settings of other scorers as JSON', () => {
    const latency = { ...RULE, scoring: 'Latency', scoring_config: { max_ms: 5 } } as unknown as ScoringRuleResource;
    const settings = textOf(latency, 'scoring_config');
    const form = formOf({ ...NEW, scoring: 'Latency', scoring_config: settings });
    expect(readRule(form, {}, null).scoring_config).toEqual({ max_ms: 5 });
  });

  it.each([
    [{ sample_rate: '101' }, {}, 'sample_rate'],
    [{}, null, 'filters'],
    [{ scoring: 'Latency', scoring_config: '{' }, {}, 'scoring_config'],
  ])('cannot be sent with %j and the filters %j', (wrong, filters, path) => {
    expect(() => readRule(formOf({ ...NEW, ...wrong }), filters, null)).toThrow(expect.objectContaining({ path }));
  });
});
