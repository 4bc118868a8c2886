import { describe, expect, it } from '@jest/globals';
import type { RunScorer } from '@spandrel/contract';
import type { EvalRunRow } from '../eval-run.entity.js';
import { NEW_RUN, PASS_MODE } from '../eval-run.js';
import { compareConfigs, compareScoring, type JudgePrompts } from './compare-scoring.js';

const CONFIG = {
  ...{ connection_id: 'c', model: 'gpt-4o', system_prompt: null, temperature: null, max_tokens: null },
  ...{ trace: false, judge: null },
};

const scorer = (name: string, members: Partial<RunScorer> = {}): RunScorer => ({
  ...{ name, scoring: name, scoring_config: null, judge: null, weight: 1, pass_score: 1, ...members },
});

const [contains, tone] = [scorer('Contains'), scorer('tone', { scoring: 'LlmJudge' })];

function runWith(
  scorers: RunScorer[],
  { config = {}, ...row }: { config?: object } & Omit<Partial<EvalRunRow>, 'config'> = {},
) {
  return {
    ...{ ...NEW_RUN, id: 'r', name: 'r', scoring: scorers[0]!.scoring, scoringConfig: null, total: 1, createdAt: 0 },
    ...{ execution: 0, repeats: 1, passScore: 1, passMode: PASS_MODE.all, gates: null, metadata: null, filter: null },
    ...{ cacheDays: null, datasetVersion: 1, scorers: JSON.stringify(scorers), status: 2, ...row },
    config: JSON.stringify({ ...CONFIG, ...config }),
  } as EvalRunRow;
}

const asksJudge = ({ scoring }: RunScorer): boolean => scoring === 'LlmJudge';
const compare = (run: EvalRunRow, baseline: EvalRunRow, prompts?: [JudgePrompts, JudgePrompts]) =>
  compareScoring(run, baseline, asksJudge, prompts);
/** What differs, and whether the combined score and the scorers are comparable. */
const found = (...of: Parameters<typeof compare>) => {
  const { score, scorers, differences } = compare(...of);
  return [differences.map(({ what }) => what), score, scorers];
};

const judge = { connection_id: null, model: null, rubric: null };
const both = { Contains: true, tone: true };

describe('runs that were scored alike', () => {
  it.each([
    ['the same', [contains, tone], {}, [contains, tone], {}],
    ['in another order', [tone, contains], {}, [contains, tone], {}],
    [
      'with all weights twice as large',
      [contains, tone].map((each) => ({ ...each, weight: 2 })),
      {},
      [contains, tone],
      {},
    ],
    ['with an empty config', [{ ...contains, scoring_config: {} }, tone], {}, [contains, tone], {}],
    [
      'with another order of the config',
      [{ ...contains, scoring_config: { a: 1, b: 2 } }],
      {},
      [{ ...contains, scoring_config: { b: 2, a: 1 } }],
      {},
    ],
    [
      'whose judge is named, or is that of the run',
      [{ ...tone, judge: { ...judge, model: 'gpt-4o' } }],
      {},
      [tone],
      {},
    ],
    [
      'whose judge has the temperature that it would have',
      [{ ...tone, judge: { ...judge, temperature: 0 } }],
      {},
      [tone],
      {},
    ],
    [
      'whose judge stays while the model changes',
      [tone],
      { config: { model: 'new', judge: { ...judge, model: 'gpt-4o' } } },
      [tone],
      {},
    ],
    ['with another model, and no judge', [contains], { config: { model: 'new' } }, [contains], {}],
    ['tried more often', [contains], { repeats: 5 }, [contains], {}],
    ['with one scorer, by either mode', [contains], { passMode: PASS_MODE.mean }, [contains], {}],
  ])('are those %s', (_what, scorers, more, before, moreBefore) => {
    const { score, scorers: alike, differences } = compare(runWith(scorers, more), runWith(before, moreBefore));
    expect([score, Object.values(alike).every(Boolean), differences]).toEqual([true, true, []]);
  });

  it.each([
    ['a scorer less', [tone], {}, ['scorers'], false, { tone: true }],
    ['a scorer more', [contains, tone, scorer('x')], {}, ['scorers'], false, both],
    ['a scorer more that does not count', [contains, tone, scorer('x', { weight: 0 })], {}, ['scorers'], true, both],
    ['another weight', [contains, { ...tone, weight: 3 }], {}, ['scorers.tone.weight'], false, both],
    ['a weight of 0', [contains, { ...tone, weight: 0 }], {}, ['scorers.tone.weight'], false, both],
    [
      'a config',
      [{ ...contains, scoring_config: { a: 1 } }, tone],
      {},
      ['scorers.Contains.scoring_config'],
      false,
      { ...both, Contains: false },
    ],
    [
      'another scoring of the same name',
      [{ ...contains, scoring: 'ExactMatch' }, tone],
      {},
      ['scorers.Contains.scoring'],
      false,
      { ...both, Contains: false },
    ],
    [
      'a pass score of a scorer',
      [{ ...contains, pass_score: 0.5 }, tone],
      {},
      ['scorers.Contains.pass_score'],
      false,
      { ...both, Contains: false },
    ],
    ['a pass score', [contains, tone], { passScore: 0.5 }, ['pass_score'], false, both],
    ['a mode of passing', [contains, tone], { passMode: PASS_MODE.mean }, ['pass_mode'], false, both],
    [
      'a judge',
      [contains, { ...tone, judge: { ...judge, model: 'x', connection_id: 'j', rubric: 'r', temperature: 1 } }],
      {},
      ['connection_id', 'model', 'rubric', 'temperature'].map((member) => `scorers.tone.judge.${member}`),
      false,
      { ...both, tone: false },
    ],
    [
      'no temperature of the judge',
      [contains, { ...tone, judge: { ...judge, temperature: null } }],
      {},
      ['scorers.tone.judge.temperature'],
      false,
      { ...both, tone: false },
    ],
    [
      'the judge of the config',
      [contains, tone],
      { config: { judge: { ...judge, rubric: 'r' } } },
      ['scorers.tone.judge.rubric'],
      false,
      { ...both, tone: false },
    ],
    [
      'the model that is its own judge',
      [contains, tone],
      { config: { model: 'new', connection_id: 'd' } },
      ['scorers.tone.judge.connection_id', 'scorers.tone.judge.model'],
      false,
      { ...both, tone: false },
    ],
  ])('are not those with %s', (_what, scorers, more, what, score, alike) => {
    expect(found(runWith(scorers, more), runWith([contains, tone]))).toEqual([what, score, alike]);
  });

  it('go by the prompt that judges were asked with', () => {
    const run = runWith([{ ...tone, judge: { ...judge, rubric: 'the built-in one' } }]);
    const [one, other] = [new Map([['tone', 'a']]), new Map([['tone', 'b']])];
    expect(found(run, runWith([tone]), [one, one])).toEqual([[], true, { tone: true }]);
    expect(found(run, run, [one, other])).toEqual([['scorers.tone.judge.prompt_hash'], false, { tone: false }]);
    expect(found(run, runWith([tone]), [one, other])).toEqual([['scorers.tone.judge.rubric'], false, { tone: false }]);
    // A plugin that does not say that it asks, and has asked.
    const asked = new Map([['Contains', null]]);
    expect(found(runWith([contains], { config: { model: 'new' } }), runWith([contains]), [asked, asked])[0]).toEqual([
      'scorers.Contains.judge.model',
    ]);
  });

  it('are shown with both values', () => {
    const { differences } = compare(runWith([contains], { passScore: 0.5 }), runWith([contains, tone]));
    expect(differences).toEqual([
      { what: 'scorers', run: ['Contains'], baseline: ['Contains', 'tone'] },
      { what: 'pass_score', run: 0.5, baseline: 1 },
    ]);
  });
});

describe('the configs of two runs', () => {
  it('differ in model, prompt, parameters and what was taken', () => {
    const messages = [{ role: 'user', content: '{{input}}' }];
    const run = runWith([contains], {
      config: { model: 'new', messages, temperature: 0.5, trace: true },
      ...{ repeats: 2, filter: '{"limit":3}' },
    });
    expect(compareConfigs(run, runWith([contains]))).toEqual([
      { what: 'config.model', run: 'new', baseline: 'gpt-4o' },
      { what: 'config.temperature', run: 0.5, baseline: null },
      { what: 'config.messages', run: messages, baseline: null },
      { what: 'repeats', run: 2, baseline: 1 },
      { what: 'filter', run: { limit: 3 }, baseline: null },
    ]);
    expect(compareConfigs(run, run)).toEqual([]);
  });
});
