/** Runs that try each datapoint several times, have several scorers, or may cost so much and no more. */
import { describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import type {
  DatapointResource,
  EvalRunResource,
  EvalStatistics,
  EventPayload,
  Problem,
  TraceListItem,
} from '@spandrel/contract';
import { EvalsSettings } from '@spandrel/evals';
import { sql, type StorageConfig } from '@spandrel/storage';
import { startServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { EvalsLab } from './evals-lab.ts';

const generic = (input: string, expected?: string) => ({
  Generic: { input, ...(expected !== undefined && { expected_output: expected }) },
});

const EXACT = { name: 'exact', scoring: 'ExactMatch', weight: 3 };
const judged = (name: string, model: string) => ({ name, scoring: 'LlmJudge', judge: { model } });

const progressOf = (events: EventPayload[]): [number, number | undefined][] =>
  events.flatMap((event) => (event.type === 'eval_progress' ? [[event.progress, event.sample_progress]] : []));

export function samplesOfRuns(lab: () => EvalsLab, newDatabase: () => Promise<StorageConfig>): void {
  describe('samples', () => {
    it('are scored by all scorers, and come to items, sums and events', async () => {
      const { id, datapointIds } = await lab().dataset(
        generic('one', 'You said: one'),
        // One of its samples fails.
        generic('fake:error-400+times:1 two', 'You said: fake:error-400+times:1 two'),
        generic('three'),
      );
      lab().provider.requests.length = 0;
      const run = await lab().run(id, {
        scoring: undefined,
        repeats: 3,
        scorers: [EXACT, judged('tone', 'fake:judge:0.5')],
      });
      expect(run).toMatchObject({
        ...{ status: 'completed', progress: 3, total: 3, failed_count: 1 },
        ...{ repeats: 3, sample_progress: 9, sample_total: 9, failed_samples: 4, scoring: 'ExactMatch' },
      });
      const [one, two, three] = run.result_items;
      expect(one).toMatchObject({
        ...{ status: 'completed', score: 0.875, score_reason: 'so it seems', attempts: 3, error: null },
        scores: { exact: { score: 1, judge_model: null }, tone: { score: 0.5, judge_model: 'fake:judge:0.5' } },
      });
      expect(one!.tokens).toBe(3 * one!.samples![0]!.tokens!);
      expect(one!.cost).toBeCloseTo(3 * one!.samples![1]!.cost!, 12);
      expect(one!.judge_tokens).toBe(one!.scores['tone']!.judge_tokens!);
      const statuses = two!.samples!.map(({ status, score }) => [status, score]).toSorted();
      expect([two!.status, two!.score]).toEqual(['completed', 0.875]);
      expect(statuses).toEqual([
        ['completed', 0.875],
        ['completed', 0.875],
        ['failed', null],
      ]);
      // Nothing is expected of the third: one scorer fails, what the other says is kept.
      expect(three).toMatchObject({ status: 'failed', score: null, output: 'You said: three' });
      expect(three!.error).toMatch(/^exact: .*expected/);
      for (const { scores, score, error } of three!.samples!) {
        expect([score, error]).toEqual([null, three!.error]);
        expect(scores).toMatchObject({ exact: { score: null, error }, tone: { score: 0.5, error: null } });
      }
      expect(run.avg_score).toBe(0.875);
      // One call of each sample failed; each of the others was judged.
      expect(lab().provider.requests).toHaveLength(9 + 8);
      const progress = progressOf(lab().eventsOf(run.id));
      expect(progress.map(([, samples]) => samples)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(progress.map(([items]) => items)).toEqual(progress.map(([items]) => items).toSorted());
      expect(progress.at(-1)).toEqual([3, 9]);
      expect(lab().eventsOf(run.id).at(-1)!.type).toBe('eval_completed');
      const { body } = await lab().api.get<DatapointResource>(`/api/datasets/${id}/datapoints/${datapointIds[0]}`);
      expect(body.kind).toMatchObject({ Generic: { actual_output: 'You said: one', score: 0.875 } });
    });

    it('of one scorer have its word in their items too', async () => {
      const { id } = await lab().dataset(generic('fake:huge:1+times:1 four', 'You said: fake:huge:1+times:1 four'));
      const run = await lab().run(id, { scoring: 'ExactMatch', repeats: 3 });
      const [item] = run.result_items;
      const scores = item!.samples!.map(({ score }) => score!);
      expect(scores.toSorted()).toEqual([0, 1, 1]);
      expect(item!.score).toBeCloseTo(2 / 3, 12);
      expect(item!.scores['ExactMatch']).toMatchObject({ score: item!.score, error: null });
      expect(item!.output).toBe(item!.samples![0]!.output);
    });

    it('have a trace each', async () => {
      const { id } = await lab().dataset('traced');
      const config = { trace: true };
      const scorers = [judged('a', 'fake:judge:1'), judged('b', 'fake:judge:0')];
      const run = await lab().run(id, { scoring: undefined, scorers, repeats: 2, config });
      const [item] = run.result_items;
      const ids = item!.samples!.map(({ trace_id: traceId }) => traceId!);
      expect(new Set(ids).size).toBe(2);
      expect(item!.trace_id).toBe(ids[0]);
      for (const [repeat, traceId] of ids.entries()) {
        const { body } = await lab().api.get<{ trace: TraceListItem; spans: { metadata: object }[] }>(
          `/api/traces/${traceId}`,
        );
        expect(body.trace).toMatchObject({ span_count: 3, metadata: { eval_run_id: run.id, repeat } });
        expect(body.spans.map(({ metadata }) => (metadata as { scorer?: string }).scorer)).toEqual([
          undefined,
          'a',
          'b',
        ]);
      }
    });

    it('in flight when the run is cancelled are kept; an item is processed once all of its samples are', async () => {
      // Seconds are left to cancel it in: what is under way behind the first item ends, and no more.
      const { id } = await lab().dataset('a', 'fake:slow:250 b', 'fake:slow:250 c');
      const { body } = await lab().start(id, { repeats: 40, gates: [{ metric: 'mean', op: '>=', value: 0.1 }] });
      await until(async () => (await lab().summary(body.id)).progress >= 1);
      const { body: cancelled } = await lab().api.post<EvalRunResource>(`/api/eval/${body.id}/cancel`);
      expect(cancelled).toMatchObject({ status: 'cancelled', stop_reason: 'cancelled', passed: false });
      const isRunning = ({ result_items: items }: EvalRunResource) =>
        items.some(({ samples }) => samples!.some(({ status }) => status === 'running'));
      await until(async () => !isRunning(await lab().read(body.id)));
      const run = await lab().read(body.id);
      const done = run.result_items.map(
        ({ samples }) => samples!.filter(({ status }) => status === 'completed').length,
      );
      expect(done.reduce((sum, count) => sum + count)).toBe(run.sample_progress);
      expect([done[0], done[2]]).toEqual([40, 0]);
      expect(done[1]).toBeGreaterThan(0);
      expect(run.result_items.map(({ status }) => status)).toEqual(['completed', 'pending', 'pending']);
      expect(run.progress).toBe(1);
    });

    it('hold the connections of the judges of all scorers', async () => {
      const { body: connection } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        ...{ name: 'of a judge', provider: 'custom', api_key: '', base_url: `${lab().provider.url}/v1` },
      });
      const { id } = await lab().dataset('fake:slow:700 x');
      const judge = { connection_id: connection.id, model: 'fake:judge:1' };
      const scorers = [{ scoring: 'None' }, { scoring: 'LlmJudge', judge }];
      const { body } = await lab().start(id, { scoring: undefined, scorers });
      const refused = await lab().api.delete<Problem>(`/api/provider-connections/${connection.id}`);
      expect([refused.status, refused.body.code]).toEqual([409, 'connection_in_use']);
      expect((await lab().ended(body.id)).result_items[0]!.scores['LlmJudge']).toMatchObject({ score: 1 });
      expect((await lab().api.delete(`/api/provider-connections/${connection.id}`)).status).toBe(200);
    });
  });

  describe('a cost cap', () => {
    /** What one call costs, whatever it says. */
    const price = async (): Promise<number> => {
      const { id } = await lab().dataset('dear');
      return (await lab().run(id)).total_cost!;
    };

    it('lets exactly as many calls be made as it pays for, many at once', async () => {
      const one = await price();
      const settings = lab().server.app.get(EvalsSettings);
      const { concurrency } = settings;
      settings.concurrency = 8;
      try {
        const { id } = await lab().dataset(
          ...Array.from({ length: 12 }, (_, i) => `fake:slow:${5 + (i % 4) * 10} ${i}`),
        );
        for (const [cap, calls] of [
          [11 * one, 11],
          [7.9 * one, 7],
          [one / 2, 1],
        ] as const) {
          lab().provider.requests.length = 0;
          const gates = [{ metric: 'mean', op: '>=', value: 0.1 }];
          const { body } = await lab().start(id, { repeats: 2, max_cost_usd: cap, gates });
          const run = await lab().ended(body.id);
          expect([run.sample_progress, lab().provider.requests.length]).toEqual([calls, calls]);
          expect(run).toMatchObject({ status: 'cancelled', stop_reason: 'cost_cap', passed: false, error: null });
          expect(run.result_items.flatMap(({ samples }) => samples!).some(({ status }) => status === 'running')).toBe(
            false,
          );
          const types = lab()
            .eventsOf(run.id)
            .map(({ type }) => type);
          expect(types.filter((type) => type === 'eval_cancelled')).toHaveLength(1);
          expect(types.at(-1)).toBe('eval_cancelled');
        }
        const whole = await lab().run(id, { repeats: 2, max_cost_usd: 24 * one });
        expect(whole).toMatchObject({ status: 'completed', sample_progress: 24, stop_reason: null });
      } finally {
        settings.concurrency = concurrency;
      }
    });

    it('fails samples whose judge has no price, when it is asked', async () => {
      const { id } = await lab().dataset('x');
      const run = await lab().run(id, {
        ...{ scoring: 'LlmJudge', max_cost_usd: 1 },
        config: { judge: { model: 'fake:judge:1' } },
      });
      expect(run).toMatchObject({ status: 'completed', failed_count: 1, judge_cost: null });
      expect(run.result_items[0]!.error).toMatch(
        /^LlmJudge: max_cost_usd cannot be kept, .* "fake:judge:1" has no price/,
      );
    });

    it('holds over a restart; a run that was left behind its last sample is completed, its counters as its samples are', async () => {
      const config = await newDatabase();
      const options: ServerAppOptions = {
        settings: (settings) => void (settings.of(ConnectionsSettings).secretKey = Buffer.alloc(32, 7)),
      };
      const first = await EvalsLab.open(config, options);
      const { id } = await first.dataset(...Array.from({ length: 30 }, (_, i) => `fake:slow:40 ${i}`));
      const { id: small } = await first.dataset('small');
      const left = await first.run(small, { repeats: 2 });
      const { body } = await first.start(id, { max_cost_usd: (left.total_cost! / 2) * 6.5 });
      await until(async () => (await first.summary(body.id)).progress >= 3);
      await first.server.storage.write(async (tx) => {
        // A server of a version that does not keep these counters leaves them like this.
        await tx.run(sql`update eval_run set status = 1, ended_at = null, sample_progress = 1, failed_samples = 7,
          total_tokens = 0, unpriced_count = 1 where id = ${left.id}`);
        if (tx.dialect === 'postgres')
          await tx.run(sql`delete from spandrel_jobs.job where data ->> 'id' = ${left.id}`);
      });
      await first.server.close();
      const again = first.on(await startServerApp(config, options));
      try {
        const run = await again.ended(body.id);
        expect(run).toMatchObject({ status: 'cancelled', stop_reason: 'cost_cap', sample_progress: 6 });
        expect([...first.asked().values()].reduce((sum, count) => sum + count)).toBe(6 + 2);
        const { total_tokens, unpriced_count } = left;
        expect(await again.ended(left.id)).toMatchObject({
          ...{
            status: 'completed',
            sample_progress: 2,
            failed_samples: 0,
            total_tokens,
            unpriced_count,
            avg_score: null,
          },
        });
        const { body: statistics } = await again.api.get<EvalStatistics>(`/api/eval/${left.id}/statistics`);
        expect(statistics).toMatchObject({ samples: 2, failed_samples: 0, pending_samples: 0, tokens: total_tokens });
        expect(again.eventsOf(left.id)).toEqual([{ type: 'eval_completed', run_id: left.id }]);
      } finally {
        await again.close();
      }
    });
  });
}
