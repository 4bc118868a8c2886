import { describe, expect, it } from '@jest/globals';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import type { RunScorer } from '@spandrel/contract';
import type { EvalRunRow } from '../eval-run.entity.js';
import { PrepareRun } from './prepare-run.js';

const opened: string[] = [];
const connections = { open: async (_scope: unknown, id: string) => (opened.push(id), { id }) };
const scorers = [{ name: 'Mine', extension: {}, configure: (config: unknown) => ({ config }) }];
const prepare = new PrepareRun(
  connections as never,
  new Map([['priced', { input: 1, output: 1 }]]),
  { scorers: scorers as never },
  { place: (_project, { extension }) => extension },
);

const CONFIG = { connection_id: 'c', model: 'priced', system_prompt: null, temperature: null, max_tokens: null };

const scorer = (name: string, judge: RunScorer['judge'] = null, scoring = 'Mine'): RunScorer => ({
  ...{ name, scoring, scoring_config: { name }, judge, weight: 2, pass_score: 1 },
});

const run = (listed: RunScorer[], config: object = {}, more: Partial<EvalRunRow> = {}): EvalRunRow =>
  ({
    ...{ scorers: JSON.stringify(listed), costCap: null, repeats: 1 },
    config: JSON.stringify({ ...CONFIG, judge: null, ...config }),
    ...more,
  }) as EvalRunRow;

describe('preparing a run', () => {
  it('gives each scorer its judge: its own over the config’s over the run, member by member', async () => {
    opened.length = 0;
    const judge = { connection_id: 'j', model: 'm', rubric: 'r' };
    const listed = [
      scorer('plain'),
      scorer('model', { connection_id: null, model: 'n', rubric: null }),
      scorer('rubric', { connection_id: null, model: null, rubric: 's' }),
      scorer('other', { connection_id: 'k', model: null, rubric: null }),
    ];
    const seen = async (config: object) =>
      (await prepare.execute(LOCAL_SCOPE, run(listed, config))).scorers.map(
        ({ name, weight, judge: { asks, rubric } }) =>
          [name, weight, typeof asks === 'string' ? asks : `${asks.connection.id} ${asks.model}`, rubric].join(),
      );
    expect(await seen({ judge })).toEqual(['plain,2,j m,r', 'model,2,j n,r', 'rubric,2,j m,s', 'other,2,k m,r']);
    // Each connection is opened once.
    expect(opened).toEqual(['c', 'j', 'k']);
    expect(await seen({})).toEqual(['plain,2,c priced,', 'model,2,c n,', 'rubric,2,c priced,s', 'other,2,k priced,']);
  });

  it('gives each judge its temperature, which may be none', async () => {
    const judge = { connection_id: null, model: null, rubric: null };
    const listed = [
      scorer('plain'),
      scorer('given', { ...judge, temperature: 0.5 }),
      scorer('none', { ...judge, temperature: null }),
    ];
    const seen = async (config: object) =>
      (await prepare.execute(LOCAL_SCOPE, run(listed, config))).scorers.map(
        ({ judge: { temperature } }) => temperature,
      );
    expect(await seen({})).toEqual([undefined, 0.5, null]);
    expect(await seen({ judge: { ...judge, temperature: 1 } })).toEqual([1, 0.5, null]);
    expect(await seen({ judge: { ...judge, temperature: null } })).toEqual([null, 0.5, null]);
  });

  it('refuses a judge without a price under a cap, when it is asked', async () => {
    const listed = [scorer('a'), scorer('b', { connection_id: null, model: 'who knows', rubric: null })];
    const { scorers: ready } = await prepare.execute(LOCAL_SCOPE, run(listed, {}, { costCap: 1 }));
    expect(ready.map(({ judge }) => (typeof judge.asks === 'string' ? judge.asks : judge.asks.model))).toEqual([
      'priced',
      expect.stringMatching(/^max_cost_usd cannot be kept, since the judge's model "who knows" has no price/),
    ]);
  });

  it('calls no model for an external run, and leaves its own scorers out', async () => {
    const external = { connection_id: null, model: null };
    const listed = [scorer('theirs', null, 'External'), scorer('ours')];
    const ready = await prepare.execute(LOCAL_SCOPE, run(listed, external));
    expect([ready.model, ready.scorers.map(({ name }) => name)]).toEqual([undefined, ['ours']]);
    expect(ready.scorers[0]!.judge.asks).toMatch(/judge\.connection_id/);
  });
});
