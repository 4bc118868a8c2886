/** Costs of models that have no price (docs/spec/spans.md#unpriced-spans). */
import { expect, it } from '@jest/globals';
import type { SessionResource, TraceListItem } from '@spandrel/contract';
import { AnalyticsApp } from './analytics-app.js';

type Lists = { traces: TraceListItem[]; sessions: SessionResource[] };

/** Calls of a model without a price, then one with a price: what each place that shows a cost says of them. */
export function unpricedSpans(app: () => AnalyticsApp, newProject: () => string): void {
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
}
