/** Spans of OpenTelemetry as tracing writes them, on both databases: any order, any slices, any repetition. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IngestSpan } from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { RecordSpans, type SpanRecord } from '@spandrel/tracing';
import { random } from '../support/random.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { TracingApp } from '../storage/tracing-app.js';

const START = Date.UTC(2026, 10, 22);

/** Every run has trace and span ids of its own, which end alike. */
const idsOf = (run: number) => ({
  trace: `${run.toString(16).padStart(8, '0')}${'7'.repeat(24)}`,
  span: (n: number): string => `${run.toString(16).padStart(8, '0')}${n.toString(16).padStart(8, '0')}`,
});

/** A tree of agents over calls, some of which never come. */
function recordsOf(run: number, count: number, seed: number): SpanRecord[] {
  const next = random(seed);
  const { trace, span } = idsOf(run);
  return Array.from({ length: count }, (_, n): SpanRecord => {
    const usage = next(3) > 0;
    const item: IngestSpan = {
      id: span(n),
      trace_id: trace,
      parent_id: n === 0 ? null : span(Math.max(0, n - 1 - next(4))),
      name: `span ${n}`,
      kind: {
        type: 'llm_call',
        model: `own-${n % 3}`,
        ...(usage && { input_tokens: 1 + n, output_tokens: 2, cost: 0.5 }),
      },
      input: [{ role: 'user', content: `question ${n}` }],
      status: n % 7 === 6 ? { failed: { error: 'failed' } } : 'completed',
      started_at: START + n,
      ended_at: START + n + 10,
      metadata: { n },
    };
    const traceAttributes = {
      name: { rank: n === 0 ? 2 : 3, value: item.name },
      tags: [`t${n % 4}`],
      metadata: { [`m${n % 3}`]: n },
    };
    return { item, order: `${String(item.started_at).padStart(20, '0')}${item.id}`, traceAttributes };
  }).filter((_, n) => n % 11 !== 5);
}

/** What is read of a trace, without what differs by run. */
function withoutIds(run: number, body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(run.toString(16).padStart(8, '0'), 'run'));
}

describeOnBothDatabases('records of spans', ({ newDatabase }) => {
  let app: TracingApp;
  let records: RecordSpans;

  beforeAll(async () => {
    app = await TracingApp.open(await newDatabase('records'));
    records = app.provided(RecordSpans);
  });
  afterAll(() => app?.close());

  const read = async (run: number) => {
    const { body } = await app.get(`/api/traces/${idsOf(run).trace}`);
    return withoutIds(run, { ...body, spans: body.spans.toSorted((a, b) => (a.id < b.id ? -1 : 1)) });
  };

  it('come to the same in any order, in slices, from several senders at once, and again', async () => {
    const runs = 6;
    const first = 0xabc_0000;
    const results: unknown[] = [];
    for (let n = 0; n < runs; n++) {
      const run = first + n;
      const next = random(n + 1);
      const all = recordsOf(run, 60, 1);
      const order = n === 0 ? all : [...all, ...all.slice(0, 20)].toSorted(() => next(3) - 1);
      const size = 1 + next(n === 0 ? 100 : 12);
      const slices = Array.from({ length: Math.ceil(order.length / size) }, (_, at) =>
        order.slice(at * size, (at + 1) * size),
      );
      const answers = await Promise.all(slices.map((slice) => records.execute(LOCAL_SCOPE, slice)));
      expect(answers.flatMap(({ rejected }) => rejected)).toEqual([]);
      await records.execute(LOCAL_SCOPE, all);
      results.push(await read(run));
    }
    for (const result of results) expect(result).toEqual(results[0]);
  });

  it('count usage at the innermost span alone, and the sums of the trace say so', async () => {
    const run = 0xabc_1000;
    const all = recordsOf(run, 60, 2);
    for (const record of all.toReversed()) await records.execute(LOCAL_SCOPE, [record]);
    const { body } = await app.get(`/api/traces/${idsOf(run).trace}`);
    const parents = new Map(all.map(({ item }) => [item.id, item.parent_id ?? null]));
    const covered = new Set<string>();
    for (const { item } of all) {
      if (item.kind!['input_tokens'] === undefined) continue;
      for (let id = parents.get(item.id) ?? null; id !== null; id = parents.get(id) ?? null) covered.add(id);
    }
    let tokens = 0;
    for (const span of body.spans) {
      const reported = all.find(({ item }) => item.id === span.id)!.item.kind!;
      const counts = reported['input_tokens'] !== undefined && !covered.has(span.id);
      expect([span.id, span.kind['input_tokens']]).toEqual([span.id, counts ? reported['input_tokens'] : null]);
      if (counts) tokens += Number(reported['input_tokens']) + 2;
      else if (reported['input_tokens'] !== undefined) {
        expect(span.metadata['reported_usage']).toMatchObject({ input_tokens: reported['input_tokens'], cost: 0.5 });
      }
    }
    expect(body.trace.total_tokens).toBe(tokens);
  });

  describe('with spans that were sent natively', () => {
    const { trace, span } = idsOf(0xabc_2000);
    const native = {
      id: span(2),
      trace_id: trace,
      parent_id: span(1),
      name: 'gpt',
      started_at: new Date(START).toISOString(),
    };
    const kind = { type: 'llm_call', model: 'own', input_tokens: 5, output_tokens: 5 };

    it('are covered by them, and name the trace that the gateway had named', async () => {
      const traces = [{ id: trace, defaults: { name: 'gpt', started_at: new Date(START + 5).toISOString() } }];
      const spans = [{ ...native, kind, ended_at: new Date(START + 5).toISOString() }];
      expect((await app.post('/api/ingest', { traces, spans })).body.rejected).toEqual([]);
      const [root] = recordsOf(0xabc_2000, 1, 1);
      const wrapper = { ...root!, item: { ...root!.item, id: span(1), kind } };
      await records.execute(LOCAL_SCOPE, [wrapper]);
      const { body } = await app.get(`/api/traces/${trace}`);
      expect(body.trace).toMatchObject({ name: 'span 0', total_tokens: 10, started_at: new Date(START).toISOString() });
    });

    it('leave no mark behind when the trace goes', async () => {
      await records.execute(LOCAL_SCOPE, [recordsOf(0xabc_3000, 3, 1)[2]!]);
      for (const run of [0xabc_2000, 0xabc_3000]) await app.delete(`/api/traces/${idsOf(run).trace}`);
      const [root] = recordsOf(0xabc_3000, 1, 1);
      const again = { ...root!, item: { ...root!.item, kind } };
      await records.execute(LOCAL_SCOPE, [again]);
      expect((await app.get(`/api/traces/${idsOf(0xabc_3000).trace}`)).body.trace.total_tokens).toBe(10);
    });
  });
});
