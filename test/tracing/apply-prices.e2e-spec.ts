/** Recorded spans priced again, with all sums that they are in (docs/spec/prices.md#applying-prices). */
import { afterEach, expect, it } from '@jest/globals';
import { rebuildRollups } from '../../libs/analytics/src/recount-rollups.js';
import { PricedSpansStore } from '../../libs/tracing/src/repricing/priced-spans.store.js';
import { TracingSettings } from '../../libs/tracing/src/tracing.settings.js';
import type { AnalyticsSummary, AppliedPrices, Problem, SpanResource, TraceListItem } from '@spandrel/contract';
import type { ModelPrice } from '@spandrel/plugin-api';
import type { StorageConfig } from '@spandrel/storage';
import { describeOnBothDatabases } from '../support/databases.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';

type Prices = Record<string, ModelPrice>;

/** Dollars for a million tokens of either kind. */
const each = (dollars: number): ModelPrice => ({ input: dollars, output: dollars });

const NOON = Date.parse('2026-03-02T12:00:00Z');

/** A finished call of a million input tokens that started some seconds after noon. */
const call = (id: string, second: number, kind: object, traceId = 't') => ({
  ...{ id, trace_id: traceId, name: 's' },
  kind: { type: 'llm_call', input_tokens: 1_000_000, ...kind },
  started_at: new Date(NOON + second * 1_000).toISOString(),
  ended_at: new Date(NOON + second * 1_000 + 500).toISOString(),
});

describeOnBothDatabases('applying prices', ({ newDatabase }) => {
  let server: ServerApp | undefined;
  let database: StorageConfig;

  const start = async (prices: Prices): Promise<void> => {
    await server?.close();
    const settings: NonNullable<Parameters<typeof startServerApp>[1]>['settings'] = (of) =>
      void (of.of(TracingSettings).prices = prices);
    server = await startServerApp(database, { settings });
  };
  const begin = async (prices: Prices, ...spans: object[]): Promise<void> => {
    database = await newDatabase('prices');
    await start(prices);
    await ingest(...spans);
  };
  const ingest = async (...spans: object[]): Promise<void> => {
    const { body } = await server!.api.post('/api/ingest', { traces: [{ id: 't' }], spans });
    expect(body).toMatchObject({ rejected: [] });
  };
  const apply = async (body: object = {}): Promise<AppliedPrices> => {
    const answer = await server!.api.post<AppliedPrices>('/api/prices/apply', body);
    expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
    return answer.body;
  };
  const costOf = async (id: string): Promise<unknown> =>
    (await server!.api.get<SpanResource>(`/api/spans/${id}`)).body.metadata['cost'];
  const shown = async () => {
    const { body: summary } = await server!.api.get<AnalyticsSummary>('/api/analytics/summary');
    const { body: list } = await server!.api.get<{ traces: TraceListItem[] }>('/api/traces');
    const [trace] = list.traces;
    return {
      summary: [summary.total_cost, summary.unpriced_count],
      trace: [trace!.total_cost, trace!.unpriced_count],
    };
  };
  const expectRecounted = async (): Promise<void> =>
    expect(await rebuildRollups(server!.storage)).toMatchObject({ differed: false });

  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('gives spans without a cost, or with one of the table, that of today, and no other', async () => {
    await begin(
      { old: each(1), gone: each(1) },
      call('old', 1, { model: 'old' }),
      call('new', 2, { model: 'new' }),
      call('gone', 3, { model: 'gone' }),
      call('reported', 4, { model: 'old', cost: 7 }),
      { ...call('running', 5, { model: 'old' }), ended_at: null },
      { ...call('step', 6, {}), kind: { type: 'custom', model: 'old', input_tokens: 5 } },
    );
    expect(await shown()).toEqual({ summary: [9, 2], trace: [9, 2] });
    await start({ old: each(3), new: each(5) });
    expect(await apply({ dry_run: true })).toMatchObject({ changed: 3, reported: 1, before: 2, after: 8 });
    expect(await costOf('old')).toBe(1);
    expect(await apply()).toEqual({
      ...{ examined: 5, changed: 3, unchanged: 1, reported: 1, before: 2, after: 8, next_cursor: null },
    });
    const costs = await Promise.all(['old', 'new', 'gone', 'reported', 'step'].map(costOf));
    expect(costs).toEqual([3, 5, null, 7, null]);
    expect(await shown()).toEqual({ summary: [15, 2], trace: [15, 2] });
    await expectRecounted();
    expect(await apply()).toMatchObject({ changed: 0, unchanged: 4, before: 8, after: 8 });
    // A correction of a finished span has no event.
    expect(server!.events).toEqual([]);
  });

  it('takes spans of a time, of a model and without a cost alone', async () => {
    const spans = ['a', 'b'].flatMap((model, n) => [
      call(`${model}-early`, n, { model }),
      call(`${model}-late`, 60 + n, { model }),
    ]);
    await begin({ a: each(1) }, ...spans);
    await start({ a: each(2), b: each(3) });
    const since = new Date(NOON + 30_000).toISOString();
    expect(await apply({ since, model: 'a' })).toMatchObject({ examined: 1, changed: 1, after: 2 });
    expect(await apply({ unpriced: true })).toMatchObject({ examined: 2, changed: 2, after: 6 });
    const costs = await Promise.all(['a-early', 'a-late', 'b-early', 'b-late'].map(costOf));
    expect(costs).toEqual([1, 2, 3, 3]);
    await expectRecounted();
  });

  it('goes on behind a cursor, and from the beginning when it was lost', async () => {
    const many = Array.from({ length: 1_030 }, (_, n) => call(`s${n}`, n % 7, { model: 'm' }));
    await begin({}, ...many);
    await start({ m: each(2) });
    const first = await apply();
    expect(first).toMatchObject({ changed: first.examined, next_cursor: expect.any(String) });
    let [changed, unchanged] = [0, 0];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: AppliedPrices = await apply({ cursor });
      changed += page.changed;
      unchanged += page.unchanged;
      cursor = page.next_cursor;
    }
    expect([changed, unchanged]).toEqual([1_030 - first.changed, first.changed]);
    expect(await shown()).toEqual({ summary: [2_060, 0], trace: [2_060, 0] });
    await expectRecounted();
    for (const cursor of ['x', 'WyJzcGFucyIsIjEiLCJhIl0', first.next_cursor!.slice(0, -4)]) {
      const { status, body } = await server!.api.post<Problem>('/api/prices/apply', { cursor });
      expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    }
  });

  it('leaves spans alone that were deleted, sent again with a cost, or made again meanwhile', async () => {
    await begin({}, ...['gone', 'sent', 'again', 'stays'].map((id, n) => call(id, n, { model: 'm' })));
    await start({ m: each(2) });
    const store = server!.app.get(PricedSpansStore);
    const slice = store.slice.bind(store);
    store.slice = async (...given) => {
      const found = await slice(...given);
      await server!.api.delete('/api/spans/gone');
      await server!.api.delete('/api/spans/again');
      await ingest(call('sent', 1, { model: 'm', cost: 9 }), {
        ...call('again', 2, { model: 'm' }),
        ended_at: null,
      });
      return found;
    };
    expect(await apply()).toMatchObject({ examined: 2, changed: 1, reported: 1, after: 2 });
    expect((await server!.api.get('/api/spans/gone')).status).toBe(404);
    expect(await Promise.all(['sent', 'again', 'stays'].map(costOf))).toEqual([9, undefined, 2]);
    await expectRecounted();
  });

  it('counts a call of OpenTelemetry once: a span that is covered stays uncounted', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const otlpSpan = (spanId: string, parentSpanId: string) => ({
      ...{ traceId, spanId, parentSpanId, name: 'chat', kind: 3 },
      ...{ startTimeUnixNano: `${NOON}000000`, endTimeUnixNano: `${NOON + 1_000}000000` },
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
        { key: 'gen_ai.request.model', value: { stringValue: 'm' } },
        { key: 'gen_ai.usage.input_tokens', value: { intValue: '1000000' } },
      ],
    });
    await begin({});
    const spans = [otlpSpan('00f067aa0ba902b7', ''), otlpSpan('b7ad6b7169203331', '00f067aa0ba902b7')];
    const { status } = await server!.api.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect(status).toBe(200);
    await start({ m: each(2) });
    expect(await apply()).toMatchObject({ changed: 1, after: 2 });
    expect(await Promise.all(['00f067aa0ba902b7', 'b7ad6b7169203331'].map(costOf))).toEqual([null, 2]);
    expect((await shown()).summary).toEqual([2, 0]);
    await expectRecounted();
  });
});
