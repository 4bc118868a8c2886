import { describe, expect, it } from '@jest/globals';
import type { DatapointResource, EvalRunResource, Problem } from '@spandrel/contract';
import { CancelIdleRuns } from '../../libs/evals/src/external/complete-run.js';
import { until } from '../support/spandrel.ts';
import type { EvalsLab } from './evals-lab.ts';
import { ExternalLab } from './external-lab.ts';

const DAY_MS = 86_400_000;

/** Runs that their callers execute. */
export function externalRuns(lab: () => EvalsLab): void {
  const external = (): ExternalLab => new ExternalLab(lab());
  const typesOf = (runId: string) =>
    lab()
      .eventsOf(runId)
      .map(({ type }) => type);

  /** Lets the judges that are held answer until the run is as wanted. */
  const judged = (id: string, isSo: (run: EvalRunResource) => boolean) =>
    until(async () => {
      lab().provider.release();
      return isSo(await lab().read(id));
    });

  describe('an external run', () => {
    it('begins with its first result and completes with its last', async () => {
      const { id, datapointIds } = await external().start(['a', 'b', 'c'], { config: { model: 'gpt-4.1-mini' } });
      expect(await lab().read(id)).toMatchObject({ status: 'pending', config: { connection_id: null } });
      const [work] = await external().items(id, 'status=pending&include=kind&limit=1');
      expect(work).toMatchObject({ datapoint_id: datapointIds[0], kind: { Generic: { input: 'a' } } });
      const first = {
        ...{ datapoint_id: datapointIds[0], output: 'A', scores: { External: { score: 0.5, reason: 'half of it' } } },
        ...{ latency_ms: 12.4, input_tokens: 1_000_000, output_tokens: 0, trace_id: 't-1', span_id: 's-1' },
        metadata: { host: 'ci-3' },
      };
      expect((await external().add(id, [first])).body).toEqual({ accepted: 1, rejected: [] });
      expect(await lab().read(id)).toMatchObject({ status: 'running', progress: 1, total_cost: 0.4 });
      const rest = [
        { datapoint_id: datapointIds[2], error: 'the agent gave up', cost: 0.1 },
        { datapoint_id: datapointIds[1], output: 'B', scores: { External: 1 }, cost: 0.2 },
      ];
      expect((await external().add(id, rest)).body.accepted).toBe(2);
      const run = await lab().ended(id);
      expect(run).toMatchObject({
        ...{ status: 'completed', progress: 3, failed_count: 1, avg_score: 0.75, total_tokens: 1_000_000 },
        ...{ total_cost: 0.7, stop_reason: null, execution: 'external' },
      });
      expect(run.result_items[0]).toMatchObject({
        ...{ status: 'completed', output: 'A', score: 0.5, score_reason: 'half of it', latency_ms: 12, cost: 0.4 },
        ...{ trace_id: 't-1', span_id: 's-1', metadata: { host: 'ci-3' } },
        scores: { External: { score: 0.5, reason: 'half of it', error: null } },
      });
      expect(run.result_items[2]).toMatchObject({
        status: 'failed',
        output: null,
        score: null,
        error: 'the agent gave up',
      });
      expect(lab().eventsOf(id)).toEqual([
        { type: 'eval_started', run_id: id, dataset_id: run.dataset_id },
        ...[1, 2, 3].map((at) => ({
          ...{ type: 'eval_progress', run_id: id, progress: at, total: 3 },
          ...{ sample_progress: at, sample_total: 3 },
        })),
        { type: 'eval_completed', run_id: id },
      ]);
      const { body } = await lab().api.get<{ datapoints: DatapointResource[] }>(
        `/api/datasets/${run.dataset_id}/datapoints`,
      );
      expect(body.datapoints.find((datapoint) => datapoint.id === datapointIds[0])).toMatchObject({
        kind: { Generic: { actual_output: 'A', score: 0.5 } },
      });
      const late = await external().add<Problem>(id, [first]);
      expect([late.status, late.body.code]).toEqual([400, 'eval_run_not_running']);
    });

    it('rejects each bad result by itself', async () => {
      const { id, datapointIds } = await external().start(['a', 'b'], {
        scorers: [{ scoring: 'External' }, { name: 'exact', scoring: 'ExactMatch' }],
        repeats: 2,
      });
      const [a] = datapointIds;
      const { status, body } = await external().add(id, [
        { datapoint_id: 'nowhere', output: 'x' },
        { datapoint_id: a, output: 'x', repeat: 2 },
        { datapoint_id: a, output: 'x', scores: { exact: 1 } },
        { datapoint_id: a, output: 'x', scores: { other: 1 } },
        { datapoint_id: a, output: 'x', scores: { External: 1.5 } },
        { datapoint_id: a, output: 'x', error: 'y' },
        'no result',
        { datapoint_id: a, error: 'fine', repeat: 1 },
        { datapoint_id: a, error: 'another', repeat: 1 },
        { datapoint_id: a, error: 'fine', repeat: 1, scores: {} },
      ]);
      expect([status, body.accepted]).toEqual([200, 2]);
      expect(body.rejected.map(({ index, code }) => [index, code])).toEqual([
        [0, 'datapoint_not_found'],
        ...[1, 2, 3, 4, 5, 6].map((index) => [index, 'validation_failed']),
        [8, 'id_conflict'],
      ]);
      expect(body.rejected.slice(1, 6).map(({ message }) => message)).toEqual([
        'repeat must be less than 2, the repeats of the run',
        'scores.exact must be left out: the server scores by it',
        'scores.other must be left out: the run has no scorer of this name',
        expect.stringMatching(/^scores\.External /),
        'output either output or error is required, not both',
      ]);
      expect(await lab().read(id)).toMatchObject({ status: 'running', progress: 0, sample_progress: 1 });
      const empty = await external().add<Problem>(id, []);
      expect([empty.status, empty.body.errors?.[0]?.path]).toEqual([400, 'results']);
    });

    it('takes the same result again, and another one in its place when asked to', async () => {
      const { id, datapointIds } = await external().start(['a', 'b', 'c']);
      const result = (score: number, more: object = {}) => ({
        ...{ datapoint_id: datapointIds[0], output: 'A', scores: { External: score }, cost: 0.3, input_tokens: 7 },
        ...more,
      });
      const other = { datapoint_id: datapointIds[1], error: 'broken', output_tokens: 5 };
      await external().add(id, [result(0.25), other]);
      const reported = typesOf(id).length;
      const again = await external().add(id, [result(0.25, { repeat: 0, metadata: null }), other]);
      expect(again.body).toEqual({ accepted: 2, rejected: [] });
      expect(typesOf(id)).toHaveLength(reported);
      const conflict = await external().add(id, [result(0.5)]);
      expect(conflict.body.rejected).toMatchObject([{ index: 0, code: 'id_conflict' }]);
      const replacing = [
        result(0.5, { cost: 0.1 }),
        { datapoint_id: datapointIds[1], output: 'B', scores: { External: 1 } },
      ];
      expect((await external().add(id, replacing, 'replace')).body.accepted).toBe(2);
      expect(await lab().read(id)).toMatchObject({
        ...{ status: 'running', progress: 2, sample_progress: 2, failed_count: 0, failed_samples: 0 },
        ...{ avg_score: 0.75, total_cost: 0.1, total_tokens: 7 },
      });
      // No event names what took the place of something.
      expect(typesOf(id)).toHaveLength(reported);
      await external().add(id, [{ datapoint_id: datapointIds[2], output: 'C' }, result(1)], 'replace');
      expect(await lab().ended(id)).toMatchObject({ progress: 3, avg_score: 1, total_cost: 0.3 });
      expect(typesOf(id).filter((type) => type === 'eval_progress')).toHaveLength(3);
    });

    it('has each sample of an item once, whichever comes last', async () => {
      const { id, datapointIds } = await external().start(['a', 'b'], { repeats: 2 });
      const [a, b] = datapointIds;
      const sample = (datapointId: string | undefined, repeat: number, score: number) => ({
        ...{ datapoint_id: datapointId, repeat, output: `${repeat}`, scores: { External: score }, cost: 0.1 },
      });
      await external().add(id, [sample(a, 1, 1), sample(b, 0, 0.5)]);
      expect(await lab().read(id)).toMatchObject({ progress: 0, sample_progress: 2, total_cost: 0.2, avg_score: null });
      expect((await external().items(id, 'status=pending')).map((item) => item.datapoint_id)).toEqual([a, b]);
      await external().add(id, [sample(a, 0, 0.5)]);
      expect(await lab().read(id)).toMatchObject({ progress: 1, sample_progress: 3, avg_score: 0.75 });
      // One that is replaced, and one that is new, complete an item together.
      const both = [sample(b, 0, 1), sample(a, 1, 0), sample(b, 1, 0)];
      expect((await external().add(id, both, 'replace')).body.accepted).toBe(3);
      const run = await lab().ended(id);
      expect(run).toMatchObject({
        progress: 2,
        sample_progress: 4,
        total_cost: 0.4,
        avg_score: 0.375,
        failed_samples: 0,
      });
      expect(run.result_items.map(({ score, samples }) => [score, samples?.map((one) => one.score)])).toEqual([
        [0.25, [0.5, 0]],
        [0.5, [1, 0]],
      ]);
      const progress = lab()
        .eventsOf(id)
        .flatMap((event) => (event.type === 'eval_progress' ? [event.progress] : []));
      expect(progress).toEqual([0, 0, 1, 2]);
    });

    it('is scored by the server too, also where a result takes the place of another meanwhile', async () => {
      const judge = { connection_id: lab().connectionId, model: 'fake:judge:0.5+held' };
      const { id, datapointIds } = await external().start(['a', 'b', 'c'], {
        scorers: [
          { scoring: 'External', weight: 2 },
          { name: 'exact', scoring: 'ExactMatch' },
          { name: 'judge', scoring: 'LlmJudge', judge },
        ],
      });
      const result = (index: number, output: string, more: object = {}) => ({
        ...{ datapoint_id: datapointIds[index], output, scores: { External: 1 } },
        ...more,
      });
      await external().add(id, [result(0, 'wrong'), result(1, 'b!', { scores: null })]);
      expect(await lab().read(id)).toMatchObject({ status: 'running' });
      const running = await external().items(id, 'status=running&sort_order=desc');
      expect(running.map((item) => item.datapoint_id)).toEqual([datapointIds[1], datapointIds[0]]);
      expect(await external().items(id, 'status=pending')).toHaveLength(1);
      expect((await external().add(id, [result(0, 'wrong')])).body).toEqual({ accepted: 1, rejected: [] });
      await external().add(id, [result(0, 'a!')], 'replace');
      await judged(id, ({ progress }) => progress === 2);
      const { result_items: items } = await lab().read(id);
      expect(items[0]).toMatchObject({
        // (2 · 1 + 1 + 0.5) / 4
        ...{ output: 'a!', score: 0.875, judge_model: judge.model, judge_tokens: expect.any(Number) },
        scores: { External: { score: 1 }, exact: { score: 1 }, judge: { score: 0.5, reason: 'so it seems' } },
      });
      expect(items[1]).toMatchObject({ score: 0.75, scores: { External: { score: null, error: null } } });
      // One that is processed stays as it is until that which takes its place is scored.
      await external().add(id, [result(1, 'wrong again')], 'replace');
      expect((await lab().read(id)).progress).toBe(2);
      await external().add(id, [{ datapoint_id: datapointIds[2], error: 'nothing to score' }]);
      await judged(id, ({ status }) => status === 'completed');
      const run = await lab().ended(id);
      expect(run).toMatchObject({ status: 'completed', progress: 3, sample_progress: 3, failed_count: 1 });
      expect(run.result_items[1]).toMatchObject({ output: 'wrong again', score: 0.625 });
      expect(run.judge_tokens).toBe(run.result_items[0]!.judge_tokens! * 2);
      expect(typesOf(id).filter((type) => type === 'eval_progress')).toHaveLength(3);
    });

    it('needs a judge where its scorers ask one', async () => {
      const { id } = await lab().dataset('a');
      const start = (body: object) =>
        lab().api.post<Problem>(`/api/datasets/${id}/eval`, { name: 'x', execution: 'external', ...body });
      const { status, body } = await start({ scorers: [{ scoring: 'External' }, { scoring: 'LlmJudge' }] });
      expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['scorers[1].judge.connection_id']]);
      const alone = await start({ scoring: 'LlmJudge' });
      expect(alone.body.errors?.[0]?.path).toBe('config.judge.connection_id');
    });

    it('completes early when its caller says so, once all that came is scored', async () => {
      const empty = await external().start(['a']);
      const done = await external().complete(empty.id);
      expect(done.body).toMatchObject({ status: 'completed', progress: 0, total: 1, avg_score: null });
      expect(typesOf(empty.id)).toEqual(['eval_started', 'eval_completed']);
      expect((await lab().read(empty.id)).result_items[0]).toMatchObject({ status: 'pending' });
      expect((await external().complete(empty.id)).body).toMatchObject({ status: 'completed' });
      const judge = { connection_id: lab().connectionId, model: 'fake:judge:0.5+held' };
      const { id, datapointIds } = await external().start(['a', 'b'], { scoring: 'LlmJudge', config: { judge } });
      await external().add(id, [{ datapoint_id: datapointIds[0], output: 'A' }]);
      expect((await external().complete(id)).body.status).toBe('running');
      const late = await external().add<Problem>(id, [{ datapoint_id: datapointIds[1], output: 'B' }]);
      expect([late.status, late.body.code]).toEqual([400, 'eval_run_not_running']);
      await judged(id, ({ status }) => status === 'completed');
      expect(await lab().ended(id)).toMatchObject({ status: 'completed', progress: 1, total: 2, avg_score: 0.5 });
    });

    it('completes by itself where there is nothing to do', async () => {
      const { id } = await external().start([]);
      expect(await lab().ended(id)).toMatchObject({ status: 'completed', total: 0 });
    });

    it('stops when its results have cost what it may cost', async () => {
      const { id, datapointIds } = await external().start(['a', 'b', 'c'], { max_cost_usd: 1 });
      const results = datapointIds
        .slice(0, 2)
        .map((datapointId) => ({ datapoint_id: datapointId, output: 'x', cost: 0.4 }));
      await external().add(id, results);
      expect(await lab().read(id)).toMatchObject({ status: 'cancelled', stop_reason: 'cost_cap', progress: 2 });
      expect(typesOf(id).filter((type) => type === 'eval_cancelled')).toHaveLength(1);
    });

    it('is cancelled when it waits for its caller for too long, and when somebody says so', async () => {
      const runs = [
        await external().start(['a']),
        await external().start(['a', 'b']),
        await external().start(['a', 'b']),
      ];
      const [idle, begun, cancelled] = runs as [ExternalRunOf, ExternalRunOf, ExternalRunOf];
      for (const { id, datapointIds } of [begun, cancelled]) {
        await external().add(id, [{ datapoint_id: datapointIds[0], output: 'x' }]);
      }
      const { body } = await lab().api.post<EvalRunResource>(`/api/eval/${cancelled.id}/cancel`);
      expect(body).toMatchObject({ status: 'cancelled', stop_reason: 'cancelled' });
      const sweeps = lab().server.app.get(CancelIdleRuns);
      await sweeps.execute(Date.now());
      expect((await lab().read(idle.id)).status).toBe('pending');
      await Promise.all([1, 2].map(() => sweeps.execute(Date.now() + DAY_MS + 1)));
      for (const { id } of [idle, begun]) {
        expect(await lab().read(id)).toMatchObject({ status: 'cancelled', stop_reason: 'idle' });
        expect(typesOf(id).filter((type) => type === 'eval_cancelled')).toHaveLength(1);
      }
      const late = await external().complete<Problem>(begun.id);
      expect([late.status, late.body.code]).toEqual([400, 'eval_run_not_running']);
    });

    it('is no run of the server, nor of another project', async () => {
      const { id } = await lab().dataset('a');
      const run = await lab().run(id);
      const results = [{ datapoint_id: 'x', output: 'y' }];
      for (const sent of [external().add<Problem>(run.id, results), external().complete<Problem>(run.id)]) {
        const { status, body } = await sent;
        expect([status, body.code]).toEqual([409, 'eval_run_not_external']);
      }
      const foreign = await external().start(['a']);
      for (const [path, body] of [
        ['results', { results }],
        ['complete', undefined],
      ] as const) {
        const answer = await lab().api.send('POST', `/api/eval/${foreign.id}/${path}`, body, {
          'x-test-project': 'other',
        });
        expect([answer.status, answer.body.code]).toEqual([404, 'eval_run_not_found']);
      }
      expect((await lab().api.delete(`/api/eval/${foreign.id}`)).status).toBe(200);
    });
  });
}

type ExternalRunOf = Awaited<ReturnType<ExternalLab['start']>>;
