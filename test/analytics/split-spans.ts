/** Series within buckets (docs/spec/analytics.md#splits). */
import { expect, it } from '@jest/globals';
import { PERCENTILE_ERROR, type SpanResource, type TimeSeriesAnswer } from '@spandrel/contract';
import type { AnalyticsApp } from './analytics-app.js';

/** Models of several costs and spans without one: which are distinguished, and what is left. */
export function splitSpans(app: () => AnalyticsApp, newProject: () => string): void {
  it('distinguish the keys that cost most in the range, and all others together', async () => {
    const project = newProject();
    const at = '2026-03-02T10:00:00Z';
    const call = (id: string, model: string, cost: number, ms: number): Partial<SpanResource> => ({
      id,
      trace_id: 't',
      name: 's',
      kind: { type: 'llm_call', model, cost, input_tokens: 1 },
      started_at: at,
      ended_at: new Date(Date.parse(at) + ms).toISOString(),
    });
    const spans = [call('a', 'cheap', 0.1, 10), call('b', 'dear', 5, 20), call('c', 'fair', 1, 24)];
    const tool = { id: 'd', trace_id: 't', name: 'tool', kind: { type: 'tool_call' }, started_at: at };
    await app().call('POST', '/api/ingest', { traces: [{ id: 't' }], spans: [...spans, tool] }, project);
    const { body } = await app().call<TimeSeriesAnswer>(
      'POST',
      '/api/analytics',
      { split_by: 'model', top: 2, percentiles: true },
      project,
    );
    expect(body.percentile_error).toBe(PERCENTILE_ERROR);
    expect(
      body.buckets.map(({ series, span_count: count, cost, p99_ms }) => [
        count,
        cost,
        p99_ms,
        series?.map((one) => [one.key, one.span_count, one.cost, one.p50_ms]),
      ]),
    ).toEqual([
      [
        4,
        6.1,
        24,
        [
          ['dear', 1, 5, 20],
          ['fair', 1, 1, 24],
          [null, 2, 0.1, 10],
        ],
      ],
    ]);
    const plain = await app().series({}, project);
    expect(Object.keys(plain.body.buckets[0]!)).not.toEqual(expect.arrayContaining(['p50_ms', 'series']));
    const empty = { since: '2026-03-03', until: '2026-03-04', fill: true, split_by: 'status', percentiles: true };
    const { body: none } = await app().series(empty, project);
    expect(none.buckets).toMatchObject([{ p50_ms: null, p95_ms: null, p99_ms: null, series: [] }]);
  });
}
