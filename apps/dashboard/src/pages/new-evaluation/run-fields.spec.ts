import type { EvalRunResource } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { NEW_GATE } from '../../features/gates/gates.js';
import { FormFault } from '../../api/form-faults.js';
import { describeSettings } from '../../features/scorer-words.js';
import { EMPTY_SCORER } from '../../features/runs/scorer-fields.js';
import {
  countTaken,
  describeCalls,
  describeMissing,
  MORE_PROMPTS,
  readMetadata,
  EMPTY_FIELDS,
  startMatrixOf,
  fieldsOfRun,
  shownOf,
  startOf,
  type RunFields,
} from './run-fields.js';

const none = { ...EMPTY_SCORER, scoring: 'None', rubric: 'be strict' };
const judge = { ...EMPTY_SCORER, scoring: 'LlmJudge', rubric: 'be strict' };
const fields: RunFields = { ...EMPTY_FIELDS, connection: 'c', name: ' first ', scorers: [none] };

describe('the form of a run', () => {
  it('leaves out what was left empty', () => {
    expect(startOf(fields)).toEqual({ name: 'first', scoring: 'None', config: { connection_id: 'c' } });
    expect(startOf({ ...fields, name: ' ', model: 'gpt-5.1' }).name).toBe('gpt-5.1');
  });

  it('has numbers, the settings of the scoring, and the judge where one judges', () => {
    const filled = { ...fields, temperature: '0', maxTokens: '20', scorers: [{ ...judge, settings: '{"a": 1}' }] };
    expect(startOf(filled)).toEqual({
      name: 'first',
      scoring: 'LlmJudge',
      config: { connection_id: 'c', temperature: 0, max_tokens: 20, judge: { rubric: 'be strict' } },
      scoring_config: { a: 1 },
    });
  });

  it('has the model of another scorer that asks one', () => {
    const similar = { ...EMPTY_SCORER, scoring: 'EmbeddingSimilarity', judgeConnection: 'e', judgeModel: 'embeds' };
    const asked = { connection_id: 'e', model: 'embeds' };
    expect(startOf({ ...fields, scorers: [similar] }).config?.judge).toEqual(asked);
    expect(startOf({ ...fields, scorers: [similar, none] }).scorers?.map(({ judge: sent }) => sent)).toEqual([
      asked,
      undefined,
    ]);
  });

  it('says what can be set of a scoring', () => {
    const properties = { pattern: { description: 'Needed: an expression.' }, ignore_case: { type: 'boolean' } };
    expect(describeSettings({ type: 'object', properties })).toBe('pattern (Needed: an expression), ignore_case');
    expect(describeSettings({})).toBe('');
  });

  it('has the temperature of a judge, or none', () => {
    const judgeOf = (judgeTemperature: string) =>
      startOf({ ...fields, scorers: [{ ...judge, judgeTemperature }] }).config?.judge?.temperature;
    expect(['', '0.5', 'none'].map(judgeOf)).toEqual([undefined, 0.5, null]);
  });

  it('has several scorers with names, weights and judges of their own', () => {
    const scorers = [
      { ...none, scoring: 'ExactMatch', name: ' exact ', weight: '2' },
      { ...judge, passScore: '0.5', judgeModel: 'gpt-5.1' },
    ];
    const { scoring, scorers: sent, config } = startOf({ ...fields, scorers });
    expect([scoring, config]).toEqual([undefined, { connection_id: 'c' }]);
    expect(sent).toEqual([
      { name: 'exact', scoring: 'ExactMatch', weight: 2 },
      { name: 'LlmJudge', scoring: 'LlmJudge', pass_score: 0.5, judge: { model: 'gpt-5.1', rubric: 'be strict' } },
    ]);
    expect(startOf({ ...fields, scorers: [{ ...none, name: 'none' }] }).scorers).toEqual([
      { name: 'none', scoring: 'None' },
    ]);
  });

  it('has repeats, the cap, gates and metadata', () => {
    const filled = {
      ...fields,
      ...{
        repeats: '3',
        passScore: '0.5',
        passMode: 'mean',
        maxCost: '0.02',
        metadata: 'commit = 1a2b=3c\n\nbranch=main',
      },
      gates: [{ ...NEW_GATE, value: '0.9' }],
    };
    expect(startOf(filled)).toMatchObject({
      ...{ repeats: 3, pass_score: 0.5, pass_mode: 'mean', max_cost_usd: 0.02 },
      gates: [{ metric: 'pass_rate', op: '>=', value: 0.9 }],
      metadata: { commit: '1a2b=3c', branch: 'main' },
    });
  });

  it('has a prompt with variables, or a system prompt alone', () => {
    const configOf = (prompt: Partial<RunFields>) => startOf({ ...fields, ...prompt }).config;
    const user = { role: 'user', content: 'Q: {{input}}' };
    expect(configOf({ userPrompt: user.content })).toEqual({ connection_id: 'c', messages: [user] });
    expect(configOf({ systemPrompt: 'S', userPrompt: user.content })).toEqual({
      connection_id: 'c',
      messages: [{ role: 'system', content: 'S' }, user],
    });
    expect(configOf({ systemPrompt: 'S' })).toEqual({ connection_id: 'c', system_prompt: 'S' });
  });

  it('keeps all of the config of a run that is made again', () => {
    const user = { role: 'user' as const, content: 'Q: {{input}}' };
    const system = { role: 'system' as const, content: 'S' };
    const answer = { role: 'assistant' as const, content: 'A' };
    const config = {
      ...{ connection_id: 'c', model: 'm', temperature: 0.5, max_tokens: 9, trace: true, judge: null },
      max_tokens_member: 'max_completion_tokens' as const,
    };
    const run = {
      ...{ dataset_id: 'd', name: 'x', repeats: 1, pass_score: 1, max_cost_usd: null, metadata: {} },
      gates: [],
    };
    const scorers = [{ name: 'None', scoring: 'None', scoring_config: null, judge: null, weight: 1, pass_score: 1 }];
    for (const messages of [[user], [system, user], [system, user, answer, user], [answer, user], undefined]) {
      const prompt = messages ? { messages } : { system_prompt: 'S' };
      const of = {
        ...run,
        scorers,
        config: { ...config, system_prompt: null, ...prompt },
      } as unknown as EvalRunResource;
      const { judge: _judge, ...sent } = { ...config, ...prompt };
      expect(startOf(fieldsOfRun(of, EMPTY_FIELDS)).config).toEqual(sent);
    }
    const long = { ...run, scorers, config: { ...config, messages: [answer, user] } } as unknown as EvalRunResource;
    const { config: changed } = startOf({ ...fieldsOfRun(long, EMPTY_FIELDS), userPrompt: 'New' });
    expect(changed?.messages).toEqual([{ role: 'user', content: 'New' }]);
  });

  it('has the datapoints to take, and those of a run that is made again', () => {
    const filled = { ...fields, filter: 'split = test', limit: '9', sample: '5', cache: 'reuse' };
    const filter = { metadata: { split: 'test' }, limit: 9, sample: 5 };
    expect(startOf(filled)).toMatchObject({ filter, cache: 'reuse' });
    expect(startOf({ ...filled, seed: '0', source: 'manual' }).filter).toEqual({
      ...filter,
      seed: 0,
      source: ['manual'],
    });
    expect([countTaken(100, filled), countTaken(3, filled), countTaken(100, fields)]).toEqual([5, 3, 100]);
    expect(() => startOf({ ...fields, filter: 'test' })).toThrow(FormFault);
    const whole = { ...filter, metadata: { level: 3 }, seed: 7, source: ['manual', 'span_export'], ids: ['a'] };
    const run = {
      ...{
        name: 'x',
        config: {},
        scorers: [],
        gates: [],
        metadata: {},
        repeats: 1,
        pass_score: 1,
        filter: whole,
        cache: 'reuse',
      },
    } as unknown as EvalRunResource;
    expect(startOf(fieldsOfRun(run, fields)).filter).toEqual({ ...whole, metadata: { level: '3' } });
  });

  it('says what is wrong before it is sent', () => {
    expect(() => startOf({ ...fields, scorers: [{ ...none, settings: '{' }] })).toThrow(FormFault);
    expect(() => readMetadata('commit')).toThrow(
      new FormFault('metadata', 'must be KEY = VALUE in each line, which "commit" is not'),
    );
  });

  it('is that of a run that is made again', () => {
    const run = {
      ...{ dataset_id: 'd', name: 'first', repeats: 3, pass_score: 0.5, max_cost_usd: 0.02, metadata: { commit: 'a' } },
      pass_mode: 'mean',
      config: {
        ...{ connection_id: 'c', model: 'gpt-5.1', system_prompt: null, temperature: null, max_tokens: null },
        judge: { connection_id: null, model: null, rubric: 'be strict' },
      },
      scorers: [
        { name: 'exact', scoring: 'ExactMatch', scoring_config: null, judge: null, weight: 2, pass_score: 0.5 },
        { name: 'LlmJudge', scoring: 'LlmJudge', scoring_config: null, judge: null, weight: 1, pass_score: 1 },
      ],
      gates: [],
    } as unknown as EvalRunResource;
    const again = startOf(fieldsOfRun(run, EMPTY_FIELDS));
    const limits = { repeats: 3, pass_score: 0.5, pass_mode: 'mean', max_cost_usd: 0.02 };
    expect(again).toMatchObject({ ...limits, metadata: { commit: 'a' } });
    expect(again.scorers).toEqual([
      { name: 'exact', scoring: 'ExactMatch', weight: 2 },
      { name: 'LlmJudge', scoring: 'LlmJudge', pass_score: 1, judge: { rubric: 'be strict' } },
    ]);
    const external = {
      ...run,
      config: { ...run.config, connection_id: null, model: null },
      scorers: [{ ...run.scorers[0]!, scoring: 'External' }],
    };
    const usual = { ...EMPTY_FIELDS, connection: 'usual', model: 'm', scorers: [none] };
    expect(fieldsOfRun(external, usual)).toMatchObject({ connection: 'usual', model: 'm', scorers: [none] });
  });
});

describe('datapoints without an expected value', () => {
  it('are said before the start', () => {
    expect(describeMissing(0, 6, ['ExactMatch'])).toBeNull();
    expect(describeMissing(6, 6, [])).toBeNull();
    expect(describeMissing(1, 6, ['Exact match'])).toBe(
      '1 of 6 datapoints has no expected value. Exact match needs one: it will not be scored.',
    );
    expect(describeMissing(2_000, 6_000, ['exact', 'words'])).toBe(
      '2,000 of 6,000 datapoints have no expected value. exact and words need one: they will not be scored.',
    );
    expect(describeMissing(4, 4, ['Contains'])).toBe(
      '4 of 4 datapoints have no expected value. Contains needs one: answers will be recorded and not scored.',
    );
  });
});

describe('several models and prompts', () => {
  it('are a run each, with a name in common', () => {
    expect(startMatrixOf({ ...fields, model: 'a' }, 'now')).toBeNull();
    const several = { ...fields, name: '', model: 'a', model2: ' b ', connection2: 'd', model3: 'e' };
    const models = [
      { connection_id: 'c', model: 'a' },
      { connection_id: 'd', model: 'b' },
      { connection_id: 'c', model: 'e' },
    ];
    expect(startMatrixOf(several, 'now')).toEqual({ ...startOf(several), name: 'now', models });
    const prompts = { systemPrompt: 'S', systemPrompt2: 'T', systemPrompt4: 'U', userPrompt: '{{input}}' };
    const sent = startMatrixOf({ ...fields, ...prompts }, 'now');
    expect(sent).not.toHaveProperty('models');
    const user = { role: 'user', content: '{{input}}' };
    expect(sent).toMatchObject({
      name: 'first',
      prompts: [
        { messages: [{ role: 'system', content: 'S' }, user] },
        { messages: [{ role: 'system', content: 'T' }, user] },
        { messages: [{ role: 'system', content: 'U' }, user] },
      ],
    });
  });

  it('have a field more than is filled, and keep those behind an emptied one', () => {
    const shown = (filled: Partial<RunFields>) => shownOf(MORE_PROMPTS, { ...fields, ...filled }, (member) => member);
    expect(shown({})).toEqual(['systemPrompt2']);
    expect(shown({ systemPrompt2: 'T' })).toEqual(['systemPrompt2', 'systemPrompt3']);
    expect(shown({ systemPrompt3: 'T' })).toEqual(['systemPrompt2', 'systemPrompt3', 'systemPrompt4']);
    expect(shown({ systemPrompt4: 'T' })).toEqual(['systemPrompt2', 'systemPrompt3', 'systemPrompt4']);
  });
});

describe('the calls of a run', () => {
  it('are counted in words', () => {
    expect(describeCalls(1, 1, 0)).toBe('This makes 1 call: one for each datapoint.');
    expect(describeCalls(1_000, 1, 1)).toBe('This makes 2,000 calls: one for each datapoint, and one of the judge.');
    expect(describeCalls(6, 3, 0)).toBe('This makes 18 calls: 3 for each datapoint.');
    expect(describeCalls(6, 1, 0, 2)).toBe('This makes 12 calls in 2 runs: one for each datapoint.');
    expect(describeCalls(6, 3, 2)).toBe(
      'This makes 54 calls: 3 for each datapoint, and 2 of the judges for each answer.',
    );
  });
});
