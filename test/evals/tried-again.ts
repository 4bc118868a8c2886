/** Runs that go on with some of their samples, and runs that take answers of earlier ones over. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  AddedResults,
  EvalItem,
  EvalRunResource,
  EvalRunSummary,
  EvalStatistics,
  Problem,
  StartedEval,
} from '@spandrel/contract';
import { sql } from '@spandrel/storage';
import { differences } from '../support/differences.ts';
import { until } from '../support/spandrel.ts';
import type { EvalsLab } from './evals-lab.ts';
import { ExternalLab } from './external-lab.ts';
import { refused, said, startScriptedProvider, type ScriptedCall, type ScriptedProvider } from './scripted-provider.ts';

const JUDGE = 'judge';

type CountedMember = 'status' | 'reused' | 'tokens' | 'cost' | 'judge_tokens';

const textOf = ({ body }: Pick<ScriptedCall, 'body'>): string =>
  (body['messages'] as { content: string }[]).at(-1)!.content;

export function triedAgain(lab: () => EvalsLab): void {
  describe('samples again', () => {
    let provider: ScriptedProvider;
    let connectionId: string;
    /** What the model is refused, and what the judge says. */
    let isRefused: (text: string) => boolean = () => false;
    let verdict = '{"score":0.5,"reason":"so so"}';

    beforeAll(async () => {
      provider = await startScriptedProvider((call) => {
        if (call.body['model'] === JUDGE) return said(verdict);
        return isRefused(textOf(call)) ? refused(400, 'not now') : said(`re: ${textOf(call)}`);
      });
      const { body } = await lab().api.post<{ id: string }>('/api/provider-connections', {
        ...{ name: 'scripted', provider: 'openai', api_key: 'k', base_url: `${provider.url}/v1` },
      });
      connectionId = body.id;
    });
    afterAll(() => provider?.close());

    const questions = (n: number, of: string): { Generic: { input: string; expected_output: string } }[] =>
      Array.from({ length: n }, (_, i) => ({
        Generic: { input: `${of} ${i}`, expected_output: i % 2 === 0 ? `re: ${of} ${i}` : 'another' },
      }));
    const config = (more: object = {}) => ({ connection_id: connectionId, model: 'gpt-5.1', ...more });
    const judge = { judge: { model: JUDGE } };
    const run = (datasetId: string, body: object): Promise<EvalRunResource> =>
      lab().run(datasetId, { scoring: 'ExactMatch', config: config(), ...body });
    const retry = <Body = EvalRunSummary>(id: string, body: object) =>
      lab().api.post<Body>(`/api/eval/${id}/retry`, body);
    const retried = async (id: string, what: string, more: object = {}): Promise<EvalRunResource> => {
      const { status, body } = await retry(id, { what, ...more });
      if (status !== 200) throw new Error(JSON.stringify(body));
      expect(body).toMatchObject({
        status: 'pending',
        ended_at: null,
        passed: null,
        score_ci: null,
        stop_reason: null,
      });
      return lab().ended(id);
    };
    const typesOf = (id: string): string[] =>
      lab()
        .eventsOf(id)
        .map(({ type }) => type)
        .filter((type) => type !== 'eval_progress');
    /** The counters of a run as its items and samples have them. */
    const expectRecounted = (of: EvalRunResource): void => {
      const samples = of.result_items
        .flatMap((item): Pick<EvalItem, CountedMember>[] => item.samples ?? [item])
        .filter(({ status }) => isOver(status));
      const items = of.result_items.filter(({ status }) => isOver(status));
      const sum = (values: (number | null)[]): number =>
        values.reduce<number>((total, value) => total + (value ?? 0), 0);
      const scores = items.flatMap(({ score }) => score ?? []);
      const counted = {
        progress: items.length,
        failed_count: items.filter(({ status }) => status === 'failed').length,
        sample_progress: samples.length,
        failed_samples: samples.filter(({ status }) => status === 'failed').length,
        reused_samples: samples.filter(({ reused }) => reused).length,
        total_tokens: sum(samples.map(({ tokens }) => tokens)),
        total_cost: samples.every(({ cost }) => cost === null) ? null : sum(samples.map(({ cost }) => cost)),
        judge_tokens: sum(samples.map(({ judge_tokens: tokens }) => tokens)),
        avg_score: scores.length === 0 ? null : sum(scores) / scores.length,
        retried_samples: sum(of.result_items.map(({ former_attempts: former = [] }) => former.length)),
      };
      expect(differences(counted, of, 1e-9)).toEqual([]);
    };
    const isOver = (status: string): boolean => status === 'completed' || status === 'failed';
    const statisticsOf = async (id: string, query = ''): Promise<EvalStatistics> =>
      (await lab().api.get<EvalStatistics>(`/api/eval/${id}/statistics${query}`)).body;

    it.each([1, 3])('that failed are called again, and no other, with %i repeats', async (repeats) => {
      const { id } = await lab().dataset(...questions(6, `failing x${repeats}`));
      const gates = [{ metric: 'failed_samples', op: '<=', value: 0 }];
      isRefused = (text) => /[14]$/.test(text);
      const before = await run(id, { repeats, gates });
      isRefused = () => false;
      expect(before).toMatchObject({ failed_samples: 2 * repeats, failed_count: 2, passed: false });
      provider.calls.length = 0;
      const after = await retried(before.id, 'failed');
      expect(provider.calls.map((body) => textOf({ body })).toSorted()).toEqual(
        [1, 4].flatMap((i) => Array.from({ length: repeats }, () => `failing x${repeats} ${i}`)),
      );
      expect(after).toMatchObject({
        ...{ status: 'completed', progress: 6, failed_count: 0, passed: true, avg_score: 0.5 },
        ...{ started_at: before.started_at, retried_samples: 2 * repeats, retried_cost: null, error: null },
      });
      expectRecounted(after);
      expect(await statisticsOf(before.id)).toMatchObject({ failed_samples: 0, score: { mean: 0.5, datapoints: 6 } });
      const [whole, again] = after.result_items;
      expect(whole).not.toHaveProperty('former_attempts');
      expect(again!.former_attempts!.map(({ repeat, attempt, status }) => [repeat, attempt, status])).toEqual(
        Array.from({ length: repeats }, (_, repeat) => [repeat, 0, 'failed']),
      );
      expect(again!.former_attempts![0]!.error).toContain('not now');
      const { body: listed } = await lab().api.get<{ items: EvalItem[] }>(`/api/eval/${before.id}/items?limit=2`);
      expect(listed.items.map(({ former_attempts: former }) => former?.length)).toEqual([undefined, repeats]);
      expect(typesOf(before.id)).toEqual(['eval_started', 'eval_completed', 'eval_started', 'eval_completed']);
      const nothing = await retry<Problem>(before.id, { what: 'failed' });
      expect([nothing.status, nothing.body.code]).toEqual([400, 'nothing_to_retry']);
      expect(await lab().read(before.id)).toEqual(after);
    });

    it('of an item are tried again though others of it stay; each attempt is kept', async () => {
      const { id } = await lab().dataset(...questions(1, 'often'));
      let calls = 0;
      isRefused = () => ++calls % 2 === 1;
      const before = await run(id, { repeats: 3 });
      expect(before.failed_samples).toBe(2);
      expect(before.result_items[0]).toMatchObject({ status: 'completed', score: 1 });
      isRefused = () => true;
      expectRecounted(await retried(before.id, 'failed'));
      isRefused = () => false;
      const after = await retried(before.id, 'failed');
      expect(after).toMatchObject({ failed_samples: 0, sample_progress: 3, retried_samples: 4 });
      const former = after.result_items[0]!.former_attempts!.map(({ repeat, attempt }) => [repeat, attempt]);
      expect(former.map(([, attempt]) => attempt)).toEqual([0, 1, 0, 1]);
      expect(new Set(former.map(([repeat]) => repeat)).size).toBe(2);
      expectRecounted(after);
    });

    it('without a score have their outputs scored again, and the model is not called', async () => {
      const { id } = await lab().dataset(...questions(4, 'judged'));
      verdict = 'no verdict';
      const scorers = [
        { name: 'exact', scoring: 'ExactMatch' },
        { name: 'tone', scoring: 'LlmJudge', ...judge },
      ];
      const before = await run(id, { scoring: undefined, scorers, config: config({ trace: true }) });
      verdict = '{"score":0.5,"reason":"so so"}';
      expect(before).toMatchObject({ failed_count: 4, avg_score: null, total_cost: expect.any(Number) });
      provider.calls.length = 0;
      const after = await retried(before.id, 'unscored');
      expect(provider.calls.map(({ model }) => model)).toEqual([JUDGE, JUDGE, JUDGE, JUDGE]);
      expect(after).toMatchObject({ failed_count: 0, avg_score: 0.5, total_tokens: before.total_tokens });
      expect(after.total_cost).toBeCloseTo(before.total_cost!, 12);
      const kept = ({ result_items: items }: EvalRunResource) =>
        items.map(({ output, latency_ms, tokens, cost }) => ({ output, latency_ms, tokens, cost }));
      expect(kept(after)).toEqual(kept(before));
      expect(after.result_items[0]!.scores).toMatchObject({ exact: { score: 1 }, tone: { score: 0.5 } });
      expect(after.result_items[0]!.former_attempts![0]!.error).toContain('tone');
      // The trace of the first attempt is still there.
      const traces = [after.result_items[0]!, after.result_items[0]!.former_attempts![0]!].map((one) => one.trace_id);
      expect(new Set(traces).size).toBe(2);
      for (const traceId of traces) expect((await lab().api.get(`/api/traces/${traceId}`)).status).toBe(200);
      expectRecounted(after);
    });

    it('that a cancelled run never came to are called, and no others', async () => {
      const { id } = await lab().dataset(...Array.from({ length: 24 }, (_, i) => `fake:slow:60 cancelled ${i}`));
      const { body } = await lab().start<StartedEval>(id, {});
      const running = await retry<Problem>(body.id, { what: 'pending' });
      expect([running.status, running.body.code]).toEqual([409, 'eval_run_not_over']);
      await until(async () => (await lab().summary(body.id)).progress >= 3);
      lab().provider.requests.length = 0;
      await lab().api.post(`/api/eval/${body.id}/cancel`);
      const after = await retried(body.id, 'pending');
      expect(after).toMatchObject({ status: 'completed', progress: 24, stop_reason: null, retried_samples: 0 });
      expect(after.result_items.every(({ attempts }) => attempts === 1)).toBe(true);
      expect(Math.max(...lab().asked().values())).toBe(1);
      expectRecounted(after);
    });

    it('that a cost cap kept from being called are, with a higher cap; what former attempts cost counts', async () => {
      const one = (await run((await lab().dataset(...questions(1, 'price'))).id, {})).total_cost!;
      const { id } = await lab().dataset(...questions(8, 'capped'));
      const before = await run(id, { max_cost_usd: 5 * one });
      expect(before).toMatchObject({ status: 'cancelled', stop_reason: 'cost_cap', sample_progress: 5 });
      for (const cap of [{}, { max_cost_usd: 5.5 * one }]) {
        const { status, body } = await retry<Problem>(before.id, { what: 'pending', ...cap });
        expect([status, body.errors]).toEqual([400, [{ path: 'max_cost_usd', message: expect.any(String) }]]);
      }
      expect(await lab().read(before.id)).toEqual(before);
      const after = await retried(before.id, 'pending', { max_cost_usd: 7 * one });
      expect(after).toMatchObject({ status: 'cancelled', sample_progress: 7, max_cost_usd: 7 * one });
      expect(await retried(before.id, 'pending', { max_cost_usd: null })).toMatchObject({
        ...{ status: 'completed', sample_progress: 8, max_cost_usd: null },
      });
      const uncapped = await retry<Problem>(before.id, { what: 'failed', max_cost_usd: 1 });
      expect([uncapped.status, uncapped.body.errors![0]!.path]).toEqual([400, 'max_cost_usd']);

      // Outputs that no scorer can score cost what they cost, though they are called again.
      const lacking = await lab().dataset(...['a', 'b', 'c'].map((input) => ({ Generic: { input } })));
      const paid = await run(lacking.id, { allow_unscored: true, max_cost_usd: 5.5 * one });
      expect(paid).toMatchObject({ failed_count: 3 });
      const twice = await retried(paid.id, 'failed');
      expect(twice).toMatchObject({ status: 'cancelled', stop_reason: 'cost_cap', sample_progress: 2 });
      expect(twice.retried_cost).toBeCloseTo(3 * one, 12);
      expectRecounted(twice);
    });

    it('of an external run wait for its caller', async () => {
      const external = new ExternalLab(lab());
      const { id, datapointIds } = await external.start(['a', 'b', 'c']);
      const [a, b, c] = datapointIds.map((datapointId) => ({ datapoint_id: datapointId, output: 'o' }));
      await external.add(id, [
        { ...a, scores: { External: 1 } },
        { ...b, output: undefined, error: 'lost' },
      ]);
      await external.complete(id);
      expect(await lab().summary(id)).toMatchObject({ status: 'completed', progress: 2 });
      const pending = async (): Promise<string[]> =>
        (await external.items(id, 'status=pending')).map((item) => item.datapoint_id);
      expect((await retry(id, { what: 'failed' })).body).toMatchObject({ status: 'pending', progress: 1 });
      expect(await pending()).toEqual([b!.datapoint_id, c!.datapoint_id]);
      const { body: added } = await external.add<AddedResults>(id, [{ ...b, scores: { External: 0 } }]);
      expect(added.rejected).toEqual([]);
      expect((await external.complete(id)).body).toMatchObject({ status: 'completed', progress: 2, avg_score: 0.5 });
      expect((await retry(id, { what: 'pending' })).body).toMatchObject({ status: 'pending' });
      await external.add(id, [{ ...c }]);
      expect(await lab().ended(id)).toMatchObject({ status: 'completed', progress: 3 });
      expect((await retry(id, { what: 'unscored' })).body).toMatchObject({ progress: 2 });
      await external.add(id, [{ ...c, scores: { External: 1 } }]);
      const after = await lab().ended(id);
      expectRecounted(after);
      expect(after.result_items.map(({ score }) => score)).toEqual([1, 0, 1]);
    });

    it('are refused where there is no such run, and what is none', async () => {
      const unknown = await retry<Problem>('none', { what: 'failed' });
      expect([unknown.status, unknown.body.code]).toEqual([404, 'eval_run_not_found']);
      expect((await retry<Problem>('none', { what: 'all' })).body.errors![0]!.path).toBe('what');
    });

    describe('of an earlier run', () => {
      const callsOf = async (work: () => Promise<EvalRunResource>): Promise<[EvalRunResource, number]> => {
        provider.calls.length = 0;
        const made = await work();
        return [made, provider.calls.length];
      };
      const reuse = { cache: 'reuse' };

      it('give their answers, at no cost, and are scored again', async () => {
        const { id } = await lab().dataset(...questions(4, 'reused'));
        const first = await run(id, {});
        const [off, called] = await callsOf(() => run(id, {}));
        expect([off.reused_samples, called]).toEqual([0, 4]);
        const [second, calls] = await callsOf(() => run(id, { ...reuse, scoring: 'Contains' }));
        expect(calls).toBe(0);
        expect(second).toMatchObject({ reused_samples: 4, total_cost: 0, total_tokens: 0, avg_score: 0.5 });
        expect(second).toMatchObject({ cache: 'reuse', cache_days: 30 });
        const taken = second.result_items.map((item) => [item.output, item.reused, item.reused_run_id, item.attempts]);
        expect(taken).toEqual(first.result_items.map(({ output }) => [output, true, off.id, 0]));
        expect(await statisticsOf(second.id)).toMatchObject({ reused_samples: 4, cost: { total: 0 } });
        expectRecounted(second);
        // Nor is it compared with what calls cost.
        const { comparison } = await statisticsOf(second.id, `?baseline=${first.id}&allow_different_scoring=true`);
        expect(comparison).toMatchObject({ pairs: 4, cost: { pairs: 0, diff: null }, latency_ms: { pairs: 4 } });
        expect(comparison!.summary).not.toContain('cheaper');
        // What was taken over is no source: it would become older and older.
        await lab().api.delete(`/api/eval/${first.id}`);
        await lab().api.delete(`/api/eval/${off.id}`);
        expect((await callsOf(() => run(id, reuse)))[1]).toBe(4);
      });

      it('are those of the same call and content alone', async () => {
        const kinds = questions(3, 'changed');
        const { id, datapointIds } = await lab().dataset(...kinds);
        await run(id, { repeats: 2, config: config({ temperature: 0 }) });
        const reusedOf = async (body: object): Promise<number> => (await run(id, { ...reuse, ...body })).reused_samples;
        const same = { config: config({ temperature: 0 }) };
        expect(await reusedOf({ ...same, repeats: 3 })).toBe(6);
        for (const other of [
          { temperature: 0.5 },
          { max_tokens: 9, temperature: 0 },
          { temperature: 0, system_prompt: 's' },
        ]) {
          expect(await reusedOf({ config: config(other) })).toBe(0);
        }
        expect(await reusedOf({ config: config({ temperature: 0, model: 'gpt-5.1-mini' }) })).toBe(0);
        expect(await reusedOf({ config: { temperature: 0 } })).toBe(0);
        const metadata = { Generic: { ...kinds[0]!.Generic, metadata: { edited: true } } };
        await lab().api.send('PUT', `/api/datasets/${id}/datapoints/${datapointIds[0]}`, { kind: metadata });
        expect(await reusedOf(same)).toBe(2);
        // Another dataset with this content.
        const copy = await lab().dataset(...kinds.slice(1));
        expect((await run(copy.id, { ...reuse, ...same, filter: { limit: 1 } })).reused_samples).toBe(1);
        const connection = await lab().api.send('PUT', `/api/provider-connections/${connectionId}`, {
          ...{ base_url: `${provider.url}/v2`, api_key: 'k' },
        });
        expect(connection.status).toBe(200);
        expect(await reusedOf(same)).toBe(0);
      });

      it('have a repeat for each repeat, and are not older than asked for', async () => {
        const { id } = await lab().dataset(...questions(2, 'old'));
        let calls = 0;
        isRefused = () => ++calls > 5;
        const first = await run(id, { repeats: 3 });
        isRefused = () => false;
        expect(first.failed_samples).toBe(1);
        await lab().server.storage.write((tx) =>
          tx.run(sql`update eval_run set created_at = created_at - ${2 * 86_400_000} where id = ${first.id}`),
        );
        expect((await run(id, { ...reuse, cache_days: 1, scoring: 'None', repeats: 3 })).reused_samples).toBe(0);
        const { id: later } = await lab().dataset(
          ...questions(2, 'old').map(({ Generic }) => ({ Generic: { ...Generic, metadata: {} } })),
        );
        const again = await run(later, { repeats: 3 });
        const [third, made] = await callsOf(() => run(later, { ...reuse, cache_days: 3, repeats: 4 }));
        expect([third.reused_samples, made]).toEqual([6, 2]);
        expect(third.result_items.map(({ samples }) => samples!.map(({ reused }) => reused))).toEqual(
          [0, 1].map(() => [true, true, true, false]),
        );
        expect(third.result_items.map(({ reused }) => reused)).toEqual([false, false]);
        expect(again.reused_samples).toBe(0);
        expectRecounted(third);
      });

      it('say nothing of what a call costs: a cap lets one call be made until that is known', async () => {
        const { id } = await lab().dataset(...questions(4, 'cheap'));
        const first = await run(id, { filter: { limit: 2 } });
        const one = first.total_cost! / 2;
        const [capped, calls] = await callsOf(() => run(id, { ...reuse, max_cost_usd: 1.5 * one }));
        expect(capped).toMatchObject({ stop_reason: 'cost_cap', reused_samples: 2, sample_progress: 3 });
        expect(calls).toBe(1);
      });
    });
  });
}
