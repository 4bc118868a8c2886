/** Costs of models that have no price (docs/spec/spans.md#unpriced-spans). */
import { expect, it } from '@jest/globals';
import type { SessionResource, TraceListItem } from '@spandrel/contract';
import { rawSql, sql, type StorageConfig } from '@spandrel/storage';
import { anyRows } from '../support/any-rows.ts';
import { AnalyticsApp } from './analytics-app.js';

const COUNTED_COLUMNS = [
  ['trace', 'unpriced_count'],
  ['analytics_rollup', 'unpriced_count'],
  ['eval_run', 'unpriced_count'],
  ['eval_run', 'judge_unpriced_count'],
] as const;

type Lists = { traces: TraceListItem[]; sessions: SessionResource[] };

/** Calls of a model without a price, then one with a price: what each place that shows a cost says of them. */
export function unpricedSpans(
  app: () => AnalyticsApp,
  newProject: () => string,
  newDatabase: (name: string) => Promise<StorageConfig>,
): void {
  const shown = async (project: string) => {
    const { total_cost: cost, unpriced_count: unpriced, models } = await app().summary(project);
    const { buckets } = (await app().series({ group_by: 'hour' }, project)).body;
    const cut = (await app().series({ since: '2026-03-02T10:15:00Z', until: '2026-03-02T10:45:00Z' }, project)).body;
    const [trace] = (await app().call<Lists>('GET', '/api/traces', undefined, project)).body.traces;
    const [session] = (await app().call<Lists>('GET', '/api/sessions', undefined, project)).body.sessions;
    return {
      summary: [cost, unpriced],
      models,
      whole: buckets.map((bucket) => [bucket.cost, bucket.unpriced_count]),
      cut: cut.buckets.map((bucket) => [bucket.cost, bucket.unpriced_count]),
      trace: [trace!.total_cost, trace!.unpriced_count],
      session: [session!.total_cost, session!.unpriced_count],
    };
  };
  const span = (id: string, kind: object, more: object = {}) => ({
    id,
    trace_id: 't',
    name: 's',
    kind: { type: 'llm_call', ...kind },
    started_at: '2026-03-02T10:30:00Z',
    ended_at: '2026-03-02T10:30:01Z',
    ...more,
  });
  const ingest = async (project: string, ...spans: object[]): Promise<void> => {
    const body = { traces: [{ id: 't', session_id: 's' }], spans };
    const { status } = await app().call('POST', '/api/ingest', body, project);
    expect(status).toBe(200);
  };

  it('cost null where nothing but spans without a price is added up, with their number beside it', async () => {
    const project = newProject();
    const own = { model: 'my-own-model', input_tokens: 10, output_tokens: 5 };
    await ingest(project, span('a', own), span('b', own));
    const two = [null, 2];
    expect(await shown(project)).toEqual({
      summary: two,
      models: { 'my-own-model': { count: 2, cost: null, tokens: 30, unpriced_count: 2 } },
      whole: [two],
      cut: [two],
      trace: two,
      session: two,
    });
    await ingest(project, span('c', { model: 'gpt-4o', input_tokens: 1, cost: 0.25 }));
    const both = [0.25, 2];
    expect(await shown(project)).toMatchObject({
      summary: both,
      models: { 'my-own-model': { cost: null, unpriced_count: 2 }, 'gpt-4o': { cost: 0.25, unpriced_count: 0 } },
      whole: [both],
      cut: [both],
      trace: both,
      session: both,
    });
    await ingest(project, span('a', { ...own, cost: 1 }), span('b', { ...own, cost: 0 }));
    expect(await shown(project)).toMatchObject({ summary: [1.25, 0], trace: [1.25, 0], cut: [[1.25, 0]] });
  });

  it('take no span for unpriced that is running, has no tokens, or is not there any more', async () => {
    const project = newProject();
    const own = { model: 'my-own-model', input_tokens: 10 };
    await ingest(
      project,
      span('running', own, { ended_at: null }),
      span('without', { model: 'my-own-model' }),
      span('none', { model: 'my-own-model', input_tokens: 0, output_tokens: 0 }),
      span('tool', { type: 'tool_call' }),
    );
    expect(await shown(project)).toMatchObject({ summary: [0, 0], whole: [[0, 0]], cut: [[0, 0]], trace: [null, 0] });
    await app().call('POST', '/api/spans/running/fail', { error: 'e' }, project);
    expect(await shown(project)).toMatchObject({ summary: [null, 1], whole: [[null, 1]], trace: [null, 1] });
    await app().call('DELETE', '/api/spans/running', undefined, project);
    expect(await shown(project)).toMatchObject({ summary: [0, 0], whole: [[0, 0]], trace: [null, 0] });
  });

  it('are counted by the migration in a database that an earlier version left', async () => {
    const config = await newDatabase('unpriced');
    const earlier = await AnalyticsApp.open(config);
    const times = ['1969-12-31T23:59:59.999Z', '2026-03-02T10:30:00Z', '2026-03-02T23:00:00Z', '2026-03-03T00:00:00Z'];
    for (const project of ['one', 'two']) {
      const spans = times.flatMap((at, n) =>
        [
          { model: 'own', input_tokens: 3 },
          { model: '', provider: 'p', output_tokens: 1 },
          { model: 'own', input_tokens: 3, cost: 0.5 },
          { type: 'embedding', input_tokens: 4 },
        ].map((kind, k) =>
          span(`${n}-${k}`, kind, { trace_id: `t${k % 2}`, started_at: at, ended_at: k === 3 && n > 1 ? null : at }),
        ),
      );
      const { status } = await earlier.call(
        'POST',
        '/api/ingest',
        { traces: [{ id: 't0' }, { id: 't1' }], spans },
        project,
      );
      expect(status).toBe(200);
    }
    await earlier.storage.write(async (tx) => {
      await tx.run(sql`insert into eval_run (project_id, id, dataset_id, dataset_version, name, status, config, scoring,
          connection_id, total, progress, failed_count, score_sum, score_count, total_tokens, cost_usd, cost_pico,
          cost_count, judge_tokens, judge_cost_usd, judge_cost_pico, judge_cost_count, created_at, running, lease_until,
          unpriced_count, judge_unpriced_count)
        values ('one', 'r', 'd', 1, 'n', 2, '{}', 'None', 'c', 4, 4, 0, 0, 0, 9, 0, 0, 1, 2, 0, 0, 0, 0, '[]', 0, 2, 1)`);
      for (const [id, tokens, cost, judgeTokens] of [
        ['a', 3, null, null],
        ['b', 3, null, 2],
        ['c', 3, 0.5, null],
        ['d', null, null, null],
      ] as const) {
        await tx.run(sql`insert into eval_result (project_id, run_id, datapoint_id, status, tokens, cost, attempts, judge_tokens)
          values ('one', 'r', ${id}, 2, ${tokens}, ${cost}, 1, ${judgeTokens})`);
      }
    });
    const counts = async ({ storage }: AnalyticsApp): Promise<unknown[]> => [
      await storage.read(anyRows<object>()`select project_id, id, unpriced_count from trace order by project_id, id`),
      await storage.read(anyRows<object>()`select id, unpriced_count, judge_unpriced_count from eval_run`),
      // There were no roll-ups of minutes, whose grain is 4, before that migration.
      await storage.read(anyRows<object>()`select project_id, grain, bucket, model, provider, status, llm, unpriced_count
        from analytics_rollup where grain < 4 order by project_id, grain, bucket, model, provider, status, llm`),
    ];
    const right = await counts(earlier);
    expect(right[0]).toContainEqual({ project_id: 'one', id: 't1', unpriced_count: 6 });
    await earlier.storage.write(async (tx) => {
      for (const [table, column] of COUNTED_COLUMNS) await tx.run(rawSql(`alter table ${table} drop column ${column}`));
      await tx.run(sql`delete from mikro_orm_migrations where name like '%unpriced-counts'`);
    });
    await earlier.close();

    const migrated = await AnalyticsApp.open(config);
    expect(await counts(migrated)).toEqual(right);
    await migrated.close();
  });
}
