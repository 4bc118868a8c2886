import { describe, expect, it } from '@jest/globals';
import type { EvalRunResource, Problem, StartedEval } from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';

export function startingRuns(lab: () => EvalsLab): void {
  describe('starting a run', () => {
    it('answers at once with a pending run', async () => {
      const { id } = await lab().dataset('one', 'two');
      const { status, body } = await lab().start(id, {
        name: 'first',
        config: { model: 'gpt-4.1-mini', system_prompt: 'Be brief', temperature: 0.5, max_tokens: 9 },
      });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^[0-9A-Z]{26}$/),
        dataset_id: id,
        dataset_version: 2,
        name: 'first',
        status: 'pending',
        progress: 0,
        total: 2,
        execution: 'server',
        repeats: 1,
        sample_progress: 0,
        sample_total: 2,
        failed_samples: 0,
        config: {
          connection_id: lab().connectionId,
          model: 'gpt-4.1-mini',
          system_prompt: 'Be brief',
          temperature: 0.5,
          max_tokens: 9,
          trace: false,
          judge: null,
        },
        scoring: 'None',
        scoring_config: null,
        scorers: [{ name: 'None', scoring: 'None', scoring_config: null, judge: null, weight: 1, pass_score: 1 }],
        pass_score: 1,
        pass_mode: 'all',
        filter: null,
        cache: null,
        cache_days: null,
        reused_samples: 0,
        retried_samples: 0,
        retried_cost: null,
        group_id: null,
        baseline_run_id: null,
        max_cost_usd: null,
        metadata: {},
        gates: [],
        passed: null,
        stop_reason: null,
        avg_score: null,
        score_se: null,
        score_ci: null,
        ...{ pass_rate: null, latency_ms: null, sample_cost: null, scorer_scores: null },
        total_cost: null,
        call_cost: null,
        unpriced_count: 0,
        total_tokens: 0,
        failed_count: 0,
        judge_tokens: 0,
        judge_cost: null,
        judge_unpriced_count: 0,
        error: null,
        created_at: expect.stringMatching(/Z$/),
        started_at: null,
        ended_at: null,
        result_items: [],
      });
      expect(await lab().ended(body.id)).toMatchObject({ status: 'completed', progress: 2 });
      expect(lab().lastRequest()).toMatchObject({ model: 'gpt-4.1-mini', temperature: 0.5 });
    });

    it('takes the model of the connection when none is named', async () => {
      const { id } = await lab().dataset('x');
      expect((await lab().run(id)).config.model).toBe('gpt-5.1');
      const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        name: 'no default',
        provider: 'openai',
        api_key: 'k',
      });
      const { status, body: problem } = await lab().start<Problem>(id, { config: { connection_id: body.id } });
      expect([status, problem.code, problem.errors?.[0]?.path]).toEqual([400, 'validation_failed', 'config.model']);
    });

    it('completes a run of no datapoints', async () => {
      const { id } = await lab().dataset();
      const { body } = await lab().start(id);
      expect(body).toMatchObject({ status: 'pending', total: 0 });
      expect(await lab().ended(body.id)).toMatchObject({ status: 'completed', progress: 0, result_items: [] });
      expect(lab().eventsOf(body.id)).toEqual([
        { type: 'eval_started', run_id: body.id, dataset_id: id },
        { type: 'eval_completed', run_id: body.id },
      ]);
    });

    describe('without expected values', () => {
      const generic = (input: string, members: object = {}) => ({ Generic: { input, ...members } });
      const messages = [{ role: 'user', content: 'hi' }];

      it('says how many are missing, of those that can be scored', async () => {
        const { id } = await lab().dataset(
          ...[generic('a', { expected_output: 'You said: a' }), generic('b'), generic('c', { expected_output: null })],
          ...[generic('d', { metadata: { expected_output: null } }), generic('e', { expected_output: 0 })],
          ...[{ LlmConversation: { messages } }, { LlmConversation: { messages, expected: null } }],
          ...[{ LlmConversation: { messages, expected: '"expected":null' } }],
        );
        const missing = [{ code: 'missing_expected', count: 5, total: 8 }];
        const { status, body } = await lab().start<StartedEval>(id, { scoring: 'Contains' });
        expect([status, body.warnings]).toEqual([201, missing]);
        const run = await lab().ended(body.id);
        expect(run.result_items.map(({ status, output, score_reason: reason }) => [status, output, reason])).toEqual([
          ['completed', 'You said: a', null],
          ...['b', 'c', 'd'].map((input) => ['failed', `You said: ${input}`, 'not scored']),
          ['completed', 'You said: e', null],
          ['failed', 'You said: hi', 'not scored'],
          ['failed', 'You said: hi', 'not scored'],
          ['completed', 'You said: hi', null],
        ]);
        expect(run).not.toHaveProperty('warnings');
        const none = await lab().start<StartedEval>(id, { scoring: 'None' });
        expect(none.body).not.toHaveProperty('warnings');
        await lab().ended(none.body.id);
        const read = await lab().api.get(`/api/datasets/${id}?include=without_expected_count`);
        expect(read.body).toMatchObject({ datapoint_count: 8, without_expected_count: 5 });
        expect((await lab().api.get(`/api/datasets/${id}`)).body).not.toHaveProperty('without_expected_count');
      });

      it('is refused where there are none at all, unless that is wanted', async () => {
        const { id } = await lab().dataset(generic('a'), generic('b', { expected_output: null }));
        const scorers = [{ scoring: 'None' }, { name: 'exact', scoring: 'ExactMatch' }];
        for (const body of [{ scoring: 'ExactMatch' }, { scoring: undefined, scorers }]) {
          const { status, body: problem } = await lab().start<Problem>(id, body);
          expect([status, problem.code]).toEqual([400, 'nothing_to_score']);
          expect(problem.detail).toContain('allow_unscored');
        }
        expect(await lab().runs(id)).toEqual([]);
        const wanted = { id: `unscored-${id}`, scoring: 'ExactMatch', allow_unscored: true };
        const { status, body } = await lab().start<StartedEval>(id, wanted);
        const warnings = [{ code: 'missing_expected', count: 2, total: 2 }];
        expect([status, body.warnings]).toEqual([201, warnings]);
        await lab().datapoint(id, generic('c', { expected_output: 'c' }));
        const again = await lab().start<StartedEval>(id, wanted);
        expect([again.body.id, again.body.warnings]).toEqual([body.id, warnings]);
        expect(await lab().ended(body.id)).toMatchObject({ status: 'completed', failed_count: 2 });
      });

      it('is not refused without datapoints, nor where its caller executes it', async () => {
        const { id: empty } = await lab().dataset();
        await lab().run(empty, { scoring: 'ExactMatch' });
        const { id } = await lab().dataset('a');
        const { status, body } = await lab().api.post<StartedEval>(`/api/datasets/${id}/eval`, {
          ...{ name: 'external', execution: 'external', scoring: 'ExactMatch' },
        });
        expect([status, body.warnings]).toEqual([201, [{ code: 'missing_expected', count: 1, total: 1 }]]);
      });
    });

    it('refuses what is wrong, and starts nothing', async () => {
      const { id } = await lab().dataset('x');
      for (const [body, path] of [
        [{ name: undefined }, 'name'],
        [{ name: '' }, 'name'],
        [{ scoring: undefined }, 'scoring'],
        [{ scoring: 'exactmatch' }, 'scoring'],
        [{ config: { temperature: 2.1 } }, 'config.temperature'],
        [{ config: { temperature: -1 } }, 'config.temperature'],
        [{ config: { temperature: '1' } }, 'config.temperature'],
        [{ config: { connection_id: undefined } }, 'config.connection_id'],
        [{ config: { model: 7 } }, 'config.model'],
        [{ config: { max_tokens: 0 } }, 'config.max_tokens'],
        [{ config: { max_tokens_member: 'tokens' } }, 'config.max_tokens_member'],
        [{ config: { judge: { temperature: 3 } } }, 'config.judge.temperature'],
        [{ allow_unscored: 'yes' }, 'allow_unscored'],
        [{ config: { trace: 'yes' } }, 'config.trace'],
        [{ scoring_config: { unknown: 1 } }, 'scoring_config'],
        [{ scoring_config: 'x' }, 'scoring_config'],
      ] as const) {
        const { status, body: problem } = await lab().start<Problem>(id, body);
        expect([body, status, problem.code]).toEqual([body, 400, 'validation_failed']);
        expect(problem.errors?.[0]?.path).toContain(path);
      }
      const { body } = await lab().start<Problem>(id, { scoring: 'Best' });
      for (const name of ['ExactMatch', 'Contains', 'LlmJudge', 'None']) {
        expect(body.errors?.[0]?.message).toContain(name);
      }
      expect(await lab().runs(id)).toEqual([]);
    });

    it('knows no dataset, connection or run of another project or none at all', async () => {
      const { id } = await lab().dataset('x');
      const run = (await lab().start(id)).body;
      const elsewhere = { 'x-test-project': 'elsewhere' };
      const call = (method: string, path: string, body?: unknown, headers = {}) =>
        lab().api.send<Problem>(method, path, body, headers);
      const good = { name: 'r', scoring: 'None', config: { connection_id: lab().connectionId } };
      for (const [method, path, body, code, headers] of [
        ['POST', '/api/datasets/none/eval', good, 'dataset_not_found', {}],
        ['POST', '/api/datasets/%00/eval', good, 'dataset_not_found', {}],
        ['POST', `/api/datasets/${id}/eval`, good, 'dataset_not_found', elsewhere],
        [
          'POST',
          `/api/datasets/${id}/eval`,
          { ...good, config: { connection_id: 'none', model: 'm' } },
          'connection_not_found',
          {},
        ],
        [
          'POST',
          `/api/datasets/${id}/eval`,
          { ...good, config: { ...good.config, judge: { connection_id: 'x' } } },
          'connection_not_found',
          {},
        ],
        ['GET', '/api/datasets/none/eval', undefined, 'dataset_not_found', {}],
        ['GET', `/api/datasets/${id}/eval`, undefined, 'dataset_not_found', elsewhere],
        ['GET', `/api/eval/${run.id}`, undefined, 'eval_run_not_found', elsewhere],
        ['GET', '/api/eval/none', undefined, 'eval_run_not_found', {}],
        ['POST', `/api/eval/${run.id}/cancel`, undefined, 'eval_run_not_found', elsewhere],
        ['POST', '/api/eval/none/cancel', undefined, 'eval_run_not_found', {}],
        ['DELETE', `/api/eval/${run.id}`, undefined, 'eval_run_not_found', elsewhere],
        ['DELETE', '/api/eval/none', undefined, 'eval_run_not_found', {}],
        ['GET', `/api/datasets/${id}/compare?runs=${run.id}`, undefined, 'dataset_not_found', elsewhere],
      ] as const) {
        const { status, body: problem } = await call(method, path, body, headers);
        expect([method, path, status, problem.code]).toEqual([method, path, 404, code]);
      }
      await lab().ended(run.id);
    });

    it('lists runs newest first, page by page, without items', async () => {
      const { id } = await lab().dataset('x');
      const started: string[] = [];
      for (let i = 0; i < 5; i++) started.unshift((await lab().start(id, { name: `run ${i}` })).body.id);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body }: { body: { runs: EvalRunResource[]; next_cursor: string | null } } = await lab().api.get(
          `/api/datasets/${id}/eval?limit=2${cursor && `&cursor=${cursor}`}`,
        );
        for (const run of body.runs) expect(run).not.toHaveProperty('result_items');
        seen.push(...body.runs.map((run) => run.id));
        cursor = body.next_cursor;
      }
      expect(seen).toEqual(started);
      for (const run of started) await lab().ended(run);
    });
  });
}
