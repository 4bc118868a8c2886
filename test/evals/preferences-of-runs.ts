/** How a run is compared answer by answer with its baseline (docs/spec/evaluations.md#preference). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalRunResource, EvalStatistics, Problem } from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';
import { said, startScriptedProvider, type ScriptedCall, type ScriptedProvider } from './scripted-provider.ts';

/** What a seeded judge does with a pair, by the word in its input, and how many pairs have the word. */
const PAIRS = { win: 20, loss: 8, first: 24, second: 2, neither: 2, same: 4 };
type Word = keyof typeof PAIRS;

const lastOf = ({ body }: ScriptedCall): string => (body['messages'] as { content: string }[]).at(-1)!.content;

/** A model that answers `new …`, and a judge of the same connection that is as good as its seed. */
export function answerPairs(call: ScriptedCall) {
  const asked = lastOf(call);
  const judged = /^BEGIN INPUT \w+\n(\w+)/.exec(asked);
  if (!judged) return said(asked.startsWith('same') ? `old ${asked}` : `new ${asked}`);
  const word = judged[1] as Word;
  const isNewFirst = /^BEGIN FIRST ANSWER \w+\nnew/m.test(asked);
  const places = { win: isNewFirst, loss: !isNewFirst, first: true, second: false };
  const place = word === 'neither' || word === 'same' ? 'neither' : places[word] ? 'first' : 'second';
  return said(JSON.stringify({ preference: place, reason: `${word}, I say` }));
}

export function preferencesOfRuns(lab: () => EvalsLab): void {
  describe('a run whose answers are compared with those of another one', () => {
    let provider: ScriptedProvider;
    let connection: string;
    let datasetId: string;
    let ids: string[];
    let baselineId: string;
    let run: EvalRunResource;

    const itemOf = (word: string) => run.result_items.find(({ input }) => String(input).startsWith(word))!;
    const statistics = async (query: string) =>
      (await lab().api.get<EvalStatistics>(`/api/eval/${run.id}/statistics?${query}`)).body;

    /** An external run of given answers, which is over. */
    async function recorded(results: object[]): Promise<string> {
      const body = { name: 'recorded', execution: 'external', scoring: 'None' };
      const { body: external } = await lab().api.post<EvalRunResource>(`/api/datasets/${datasetId}/eval`, body);
      await lab().api.post(`/api/eval/${external.id}/results`, { results });
      await lab().api.post(`/api/eval/${external.id}/complete`);
      await lab().ended(external.id);
      return external.id;
    }

    const start = (body: object) =>
      lab().api.post<Problem>(`/api/datasets/${datasetId}/eval`, {
        ...{ name: 'compared', config: { connection_id: connection }, scoring: 'Preference' },
        ...body,
      });

    beforeAll(async () => {
      provider = await startScriptedProvider(answerPairs);
      const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        ...{ name: 'seeded', provider: 'custom', api_key: 'k-123456789', base_url: `${provider.url}/v1` },
        ...{ default_model: 'gpt-5.1' },
      });
      connection = body.id;
      const words = Object.entries(PAIRS).flatMap(([word, count]) =>
        Array.from({ length: count }, (_, n) => `${word} ${n}`),
      );
      ({ id: datasetId, datapointIds: ids } = await lab().dataset(...words));
      baselineId = await recorded(ids.map((id, at) => ({ datapoint_id: id, output: `old ${words[at]}` })));
      run = await lab().run(datasetId, {
        ...{ scoring: 'Preference', config: { connection_id: connection }, baseline_run_id: baselineId },
        gates: [{ metric: 'regression', baseline_run_id: baselineId }],
      });
    });
    afterAll(() => provider.close());

    it('has the seeded scores, asks the judge in both orders, and keeps what each said', () => {
      expect(run).toMatchObject({ status: 'completed', failed_count: 0, baseline_run_id: baselineId, passed: true });
      expect(run.avg_score).toBeCloseTo((20 + 32 / 2) / 60, 12);
      const scoreOf = (word: string) => itemOf(word).scores['Preference'];
      const both = (preferred: string) => ({ baseline_first: preferred, output_first: preferred });
      expect(scoreOf('win')).toMatchObject({ score: 1, judge_attempts: 2, preference: both('output') });
      expect(scoreOf('win')!.reason).toBe("After the baseline's answer: win, I say\nBefore it: win, I say");
      expect(scoreOf('loss')).toMatchObject({ score: 0, preference: both('baseline') });
      expect(scoreOf('neither')).toMatchObject({ score: 0.5, preference: both('neither') });
      expect(scoreOf('first')).toMatchObject({
        ...{ score: 0.5, preference: { baseline_first: 'baseline', output_first: 'output' } },
      });
      expect(scoreOf('same')).toMatchObject({ score: 0.5, judge_attempts: null, judge_cost: null });
      expect(scoreOf('same')).not.toHaveProperty('preference');
      expect(itemOf('win')).toMatchObject({ passed: true, score: 1, judge_attempts: 2 });
      expect(itemOf('loss').passed).toBe(false);
      expect(run.judge_tokens).toBe(2 * 56 * 5);
      const judged = provider.calls.filter((body) => lastOf({ path: '', body }).startsWith('BEGIN INPUT'));
      expect(judged).toHaveLength(2 * 56);
    });

    it('finds the seeded share, its sign test and the position bias', async () => {
      const { scorers, comparison } = await statistics(`baseline=${baselineId}`);
      const { preference, ci } = scorers['Preference']!;
      expect(preference).toMatchObject({ wins: 20, ties: 32, losses: 8, judged: 56 });
      expect(preference!.p_value).toBeCloseTo(0.0356982, 6);
      expect(ci!.low).toBeLessThan(0.6);
      expect(ci!.high).toBeGreaterThan(0.6);
      const { first_preferred: first, self_disagreement: differing } = preference!;
      expect(first!.rate).toBeCloseTo((28 / 2 + 24) / 54, 12);
      expect(first!.ci.low).toBeGreaterThan(0.5);
      expect(differing!.rate).toBeCloseTo(26 / 56, 12);
      expect(comparison).toMatchObject({ pairs: 60, unpaired_run: 0, comparable: { score: true, differences: [] } });
      expect(comparison!.score).toMatchObject({
        better: 20,
        same: 32,
        worse: 8,
        test: 'sign_exact',
        verdict: 'better',
      });
      expect(comparison!.score.diff).toBeCloseTo(0.1, 12);
      expect(comparison!.scorers['Preference']).toEqual(comparison!.score);
    });

    it('is not started without such a run, nor with one of another dataset', async () => {
      const { id: other } = await lab().dataset('one');
      const without = await start({});
      expect([without.status, without.body.errors]).toEqual([
        400,
        [
          {
            path: 'baseline_run_id',
            message: 'is required: Preference compares with the answers of another run',
          },
        ],
      ]);
      const foreign = (await lab().run(other)).id;
      const wrong = await start({ baseline_run_id: foreign });
      expect([wrong.status, wrong.body.errors]).toEqual([
        400,
        [{ path: 'baseline_run_id', message: 'must be a run of the same dataset' }],
      ]);
      expect((await start({ baseline_run_id: 'nope' })).status).toBe(404);
      const rule = { name: 'live', scoring: 'Preference', judge: { connection_id: connection } };
      const refused = await lab().api.post<Problem>('/api/scoring-rules', rule);
      expect(refused.body.errors).toEqual([
        { path: 'scoring', message: 'must compare with no other run: live traffic has none' },
      ]);
    });

    it('fails the items to which the other run has no answer, and compares repeats with the one answer', async () => {
      const [answered, failed, missing] = ids as [string, string, string];
      const partly = await recorded([
        { datapoint_id: answered, output: 'old' },
        { datapoint_id: failed, error: 'timeout' },
      ]);
      run = await lab().run(datasetId, {
        ...{
          scoring: undefined,
          scorers: [{ scoring: 'Preference' }, { scoring: 'Latency', weight: 0, scoring_config: { max_ms: 9 } }],
        },
        ...{ config: { connection_id: connection }, baseline_run_id: partly, repeats: 2 },
        filter: { ids: [answered, failed, missing] },
      });
      const error = 'Preference: the baseline has no answer to this datapoint to compare with';
      const byId = new Map(run.result_items.map((item) => [item.datapoint_id, item]));
      expect(byId.get(answered)).toMatchObject({ status: 'completed', score: 1 });
      expect(byId.get(answered)!.samples!.map(({ scores }) => scores['Preference']!.preference)).toEqual([
        { baseline_first: 'output', output_first: 'output' },
        { baseline_first: 'output', output_first: 'output' },
      ]);
      for (const id of [failed, missing]) expect(byId.get(id)).toMatchObject({ status: 'failed', error });
      const { scorers, comparison } = await statistics(`baseline=${partly}`);
      expect(scorers['Preference']!.preference).toMatchObject({ wins: 1, ties: 0, losses: 0, judged: 1 });
      expect(comparison).toMatchObject({ pairs: 1, score: { better: 1, test: 'sign_exact' } });
    });

    it('is compared with no answer to what was asked before a datapoint was edited', async () => {
      const [edited] = ids as [string];
      const kind = { Generic: { input: 'win, edited' } };
      await lab().api.send('PUT', `/api/datasets/${datasetId}/datapoints/${edited}`, { kind });
      const again = await lab().run(datasetId, {
        ...{ scoring: 'Preference', config: { connection_id: connection }, baseline_run_id: baselineId },
        filter: { ids: ids.slice(0, 2) },
      });
      expect(again.result_items.map(({ datapoint_id: id, status }) => [id === edited, status]).toSorted()).toEqual([
        [false, 'completed'],
        [true, 'failed'],
      ]);
    });

    it('may be compared with an answer whose own scores are still waited for', async () => {
      const judge = { connection_id: lab().connectionId, model: 'fake:judge:0.5+held' };
      const body = { name: 'waiting', execution: 'external', scorers: [{ scoring: 'LlmJudge', judge }] };
      const { body: waiting } = await lab().api.post<EvalRunResource>(`/api/datasets/${datasetId}/eval`, body);
      const results = [{ datapoint_id: ids[1], output: 'old and waiting' }];
      await lab().api.post(`/api/eval/${waiting.id}/results`, { results });
      const compared = await lab().run(datasetId, {
        ...{ scoring: 'Preference', config: { connection_id: connection }, baseline_run_id: waiting.id },
        filter: { ids: [ids[1]] },
      });
      expect(compared.result_items.map(({ status, score }) => [status, score])).toEqual([['completed', 1]]);
      expect(await lab().read(waiting.id)).toMatchObject({ status: 'running', progress: 0 });
      await lab().api.post(`/api/eval/${waiting.id}/cancel`);
      lab().provider.release();
    });

    it('is compared with the answers of each repeat of its baseline', async () => {
      const started = { config: { connection_id: connection }, filter: { ids: [ids[1]] }, repeats: 2 };
      const { id } = await lab().run(datasetId, { ...started, scoring: 'None' });
      const compared = await lab().run(datasetId, { ...started, scoring: 'Preference', baseline_run_id: id });
      expect(compared.result_items.map(({ status, score }) => [status, score])).toEqual([['completed', 0.5]]);
      expect(compared).toMatchObject({ failed_samples: 0, sample_progress: 2 });
    });

    it('may be one whose answers its caller sends', async () => {
      const body = {
        ...{ name: 'sent', execution: 'external', scoring: 'Preference', baseline_run_id: baselineId },
        config: { judge: { connection_id: connection } },
      };
      const { body: external } = await lab().api.post<EvalRunResource>(`/api/datasets/${datasetId}/eval`, body);
      const results = [{ datapoint_id: ids[21], output: 'new and worse' }];
      await lab().api.post(`/api/eval/${external.id}/results`, { results });
      await lab().api.post(`/api/eval/${external.id}/complete`);
      run = await lab().ended(external.id);
      const sent = run.result_items.find(({ datapoint_id: id }) => id === ids[21])!;
      expect(sent.scores['Preference']).toMatchObject({ score: 0, judge_attempts: 2 });
    });
  });
}
