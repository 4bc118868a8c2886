/** Calls of runs as traces (docs/spec/evaluations.md#traces-of-items). */
import { describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import type {
  AnalyticsSummary,
  EvalComparison,
  EvalRunResource,
  SpanResource,
  TraceListItem,
} from '@spandrel/contract';
import { EvalsSettings } from '@spandrel/evals';
import { sql, type StorageConfig } from '@spandrel/storage';
import { startServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { EvalsLab } from './evals-lab.ts';

interface ReadTrace {
  trace: TraceListItem;
  spans: SpanResource[];
}

const readTrace = async (lab: EvalsLab, id: string | null): Promise<ReadTrace> => {
  const { status, body } = await lab.api.get<ReadTrace>(`/api/traces/${id}`);
  expect([id, status]).toEqual([id, 200]);
  return body;
};

const traces = async (lab: EvalsLab): Promise<TraceListItem[]> =>
  (await lab.api.get<{ traces: TraceListItem[] }>('/api/traces?tag=eval')).body.traces;

/** @param all whether what a database has no part in is shown as well. */
export function tracesOfItems(lab: () => EvalsLab, newDatabase: () => Promise<StorageConfig>, all: boolean): void {
  const itOfCalls = (title: string, test: () => Promise<void>): void => {
    if (all) it(title, test);
  };
  describe('traces of items', () => {
    it('are made when the run asks for them, and show what was sent', async () => {
      const { id, datapointIds } = await lab().dataset(
        { Generic: { input: 'Hello', expected_output: 'Hi' } },
        'fake:error-429+times:1 traced',
        'fake:error-500 always',
      );
      const run = await lab().run(id, {
        name: 'traced',
        scoring: 'LlmJudge',
        config: { trace: true, system_prompt: 'Be brief.', temperature: 0.5, judge: { model: 'fake:judge:0.5' } },
      });
      expect(run.config.trace).toBe(true);
      const [good, limited, broken] = run.result_items;
      const { trace, spans } = await readTrace(lab(), good!.trace_id);
      expect(trace).toMatchObject({
        name: 'traced',
        tags: ['eval'],
        status: 'completed',
        metadata: { eval_run_id: run.id, dataset_id: id, datapoint_id: datapointIds[0] },
        span_count: 2,
      });
      const [asked, judged] = spans;
      expect(asked).toMatchObject({
        name: 'model call',
        status: 'completed',
        kind: { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', cost: good!.cost },
        input: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hello' },
        ],
        output: { text: good!.output, finish_reason: 'stop' },
        metadata: { attempts: 1, temperature: 0.5, total_tokens: good!.tokens, latency_ms: good!.latency_ms },
      });
      expect(judged).toMatchObject({
        name: 'judge call',
        kind: { model: 'fake:judge:0.5' },
        metadata: { temperature: 0, total_tokens: good!.judge_tokens },
      });
      expect(JSON.stringify(judged!.input)).toContain(good!.output);
      expect((await readTrace(lab(), limited!.trace_id)).spans[0]!.metadata).toMatchObject({ attempts: 2 });
      const failed = await readTrace(lab(), broken!.trace_id);
      expect(failed.trace).toMatchObject({ status: 'failed', span_count: 1 });
      expect(failed.spans[0]).toMatchObject({ error: broken!.error, output: null, metadata: { attempts: 2 } });
      expect(JSON.stringify(spans)).not.toContain('sk-test-fake-key');
      const { body } = await lab().api.get<EvalComparison>(`/api/datasets/${id}/compare?runs=${run.id}`);
      expect(body.comparisons.map(({ results }) => results[0]!.trace_id)).toEqual(
        run.result_items.map(({ trace_id: traceId }) => traceId),
      );
    });

    itOfCalls('are not made otherwise, so that sums stay those of production', async () => {
      const sums = async () => (await lab().api.get<AnalyticsSummary>('/api/analytics/summary')).body;
      const before = await sums();
      const { id } = await lab().dataset('Hello');
      for (const config of [{}, { trace: false }, { trace: null }]) {
        const run = await lab().run(id, { config });
        expect([run.config.trace, run.result_items[0]!.trace_id]).toEqual([false, null]);
      }
      expect(await sums()).toEqual(before);
    });

    it('are captured by rules alone that ask for their tag', async () => {
      const { body: set } = await lab().api.post<{ id: string }>('/api/datasets', { name: 'captured' });
      const rule = async (name: string, filters: object) =>
        (await lab().api.post<{ id: string }>(`/api/datasets/${set.id}/capture-rules`, { name, filters })).body.id;
      const captured = async (ruleId: string): Promise<number> => {
        const { body } = await lab().api.get<{ captured_count: number }>(
          `/api/datasets/${set.id}/capture-rules/${ruleId}`,
        );
        return body.captured_count;
      };
      const [any, asking] = [await rule('any', {}), await rule('asking', { tag: 'eval' })];
      const { id } = await lab().dataset('one', 'two');
      await lab().run(id, { config: { trace: true } });
      await until(async () => (await captured(asking)) === 2);
      // Rules are judged in the order in which spans end: behind this one all spans of the run have been judged.
      await lab().api.post('/api/ingest', {
        traces: [{ id: 'of-production' }],
        spans: [{ id: 'last', trace_id: 'of-production', name: 's', status: 'completed' }],
      });
      await until(async () => (await captured(any)) > 0);
      expect([await captured(any), await captured(asking)]).toEqual([1, 2]);
    });

    if (all) tracesOfCallsAgain(newDatabase);
  });
}

function tracesOfCallsAgain(newDatabase: () => Promise<StorageConfig>): void {
  it('are the same when items are called again after a restart; a setting asks for them too', async () => {
    const config = await newDatabase();
    const options: ServerAppOptions = {
      settings: (settings) => {
        settings.of(ConnectionsSettings).secretKey = Buffer.alloc(32, 7);
        settings.of(EvalsSettings).trace = true;
      },
    };
    const first = await EvalsLab.open(config, options);
    const { id } = await first.dataset('one', 'two');
    const not = await first.run(id, { config: { trace: false } });
    expect(not.result_items.map(({ trace_id: traceId }) => traceId)).toEqual([null, null]);
    const run = await first.run(id);
    expect(run.config.trace).toBe(true);
    const ids = run.result_items.map(({ trace_id: traceId }) => traceId);
    expect((await traces(first)).map((trace) => trace.id).toSorted()).toEqual([...ids].toSorted());
    await first.server.storage.write(async (tx) => {
      await tx.run(sql`delete from eval_result where run_id = ${run.id}`);
      await tx.run(sql`update eval_run set status = 1, ended_at = null, progress = 0 where id = ${run.id}`);
      if (tx.dialect === 'postgres') await tx.run(sql`delete from spandrel_jobs.job where data ->> 'id' = ${run.id}`);
    });
    await first.server.close();
    const again = first.on(await startServerApp(config, options));
    try {
      const ended: EvalRunResource = await again.ended(run.id);
      expect(ended.result_items.map(({ trace_id: traceId }) => traceId)).toEqual(ids);
      const found = await traces(again);
      expect(found.map((trace) => [trace.span_count, trace.status])).toEqual([
        [1, 'completed'],
        [1, 'completed'],
      ]);
    } finally {
      await again.close();
    }
  });
}
