/** Work that is sent twice: reordered, at once, child before parent. One outcome, and roll-ups that equal a recount. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { IngestResult, SpanResource, TraceListItem } from '@spandrel/contract';
import type { StorageConfig } from '@spandrel/storage';
import type { Api } from '../support/api.ts';
import { recount } from '../support/recount.ts';
import { repetitions } from '../support/repetitions.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

let config: StorageConfig;
let app: ServerApp | undefined;
let api: Api;

const AT_ONCE = 20;
const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

interface Batch {
  traces: { id: string }[];
  spans: { id: string; status: unknown }[];
}

/** A trace with 60 spans of all states, each under a parent that stands anywhere in the batch or is missing. */
function batchOf(trace: string): Batch {
  const spans = Array.from({ length: 60 }, (_, n) => ({
    id: `${trace}-${n}`,
    trace_id: trace,
    parent_id: n === 0 ? null : n % 9 === 0 ? `${trace}-absent` : `${trace}-${(n * 7) % 60}`,
    name: `span ${n}`,
    kind: { type: 'llm_call', model: n % 2 ? 'gpt-4o' : `m${n % 5}`, provider: 'p', input_tokens: n, output_tokens: 1 },
    input: { n },
    started_at: at(n),
    ...(n % 6 === 0
      ? { status: 'running' }
      : {
          status: n % 4 === 0 ? { failed: { error: `e${n}` } } : 'completed',
          ended_at: at(n + 100),
          output: [n],
          metadata: { n },
        }),
  }));
  return { traces: [{ id: trace, name: 'batch', started_at: at(0) } as { id: string }], spans };
}

const running = ({ traces, spans }: Batch): Batch => ({
  traces,
  spans: spans.map(({ id, status: _status, ...span }) => ({ ...span, id, status: 'running', ended_at: undefined })),
});

interface Seen {
  trace: TraceListItem;
  spans: SpanResource[];
}

/** All that can be read of a trace, without its name, so that two can be compared. */
async function seen(trace: string): Promise<Seen> {
  const { body } = await api.get<Seen>(`/api/traces/${trace}`);
  return JSON.parse(JSON.stringify(body).replaceAll(`"${trace}-`, '"ID-').replaceAll(`"${trace}"`, '"ID"')) as Seen;
}

async function ingest(batch: Batch): Promise<void> {
  const { status, body } = await api.post<IngestResult>('/api/ingest', batch);
  expect([status, body.rejected]).toEqual([200, []]);
}

/** Roll-ups of traces against their spans, as they can be read; of all traces on disk, where there is one. */
async function expectRightRollUps(...traces: string[]): Promise<void> {
  for (const id of traces) {
    const { trace, spans } = (await api.get<Seen>(`/api/traces/${id}`)).body;
    const models = spans.flatMap(({ kind }) =>
      'model' in kind && kind['model'] !== null ? [String(kind['model'])] : [],
    );
    const tokens = spans.map(({ kind }) => Number(kind['input_tokens'] ?? 0) + Number(kind['output_tokens'] ?? 0));
    expect(trace).toMatchObject({
      span_count: spans.length,
      error_count: spans.filter(({ error }) => error !== null).length,
      total_tokens: tokens.reduce((sum, count) => sum + count, 0),
      models: [...new Set(models)].toSorted(),
    });
  }
  if (config.dialect === 'sqlite')
    expect(recount(dirname(config.file))).toMatchObject({ integrity: 'ok', wrongRollUps: [], halves: 0 });
}

/** Items in a shuffled order that is equal on each run of the test. */
const shuffled = <T>(items: readonly T[], seed: number): T[] =>
  fc.sample(fc.shuffledSubarray([...items], { minLength: items.length }), { seed, numRuns: 1 })[0]!;

describeOnBothDatabases('the same work again', ({ newDatabase }) => {
  beforeAll(async () => {
    config = await newDatabase('repeats');
    app = await startServerApp(config);
    ({ api } = app);
  });
  afterAll(() => app?.close());

  describe('the same batch again', () => {
    it(`has one outcome ${AT_ONCE} times at once, reordered, child before parent, started after finished`, async () => {
      await ingest(batchOf('once'));
      const reference = await seen('once');
      expect(reference.trace.span_count).toBe(60);
      const batch = batchOf('often');
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => {
          const sent = n % 3 === 0 ? running(batch) : batch;
          return ingest({ traces: sent.traces, spans: shuffled(sent.spans, n) });
        }),
      );
      expect(await seen('often')).toEqual(reference);
      // And when everything is there already.
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => ingest({ ...batch, spans: shuffled(batch.spans, n) })),
      );
      expect(await seen('often')).toEqual(reference);
      await expectRightRollUps('once', 'often');
    });

    it('cut into any pieces, in any order, has the same outcome', async () => {
      await ingest(batchOf('whole'));
      const reference = await seen('whole');
      let serial = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.integer(),
          fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 8 }),
          async (seed, cuts) => {
            const trace = `cut${serial++}`;
            const batch = batchOf(trace);
            const spans = shuffled(batch.spans, seed);
            const pieces = cuts.map((length) => spans.splice(0, length)).concat([spans]);
            await Promise.all(pieces.map((spans) => ingest({ traces: batch.traces, spans })));
            expect(await seen(trace)).toEqual(reference);
          },
        ),
        { numRuns: repetitions(15), seed: TEST_SEED + (config.dialect === 'sqlite' ? 7 : 8) },
      );
      await expectRightRollUps('whole');
    });
  });

  describe('the same single write again', () => {
    it(`makes one trace and one span of ${AT_ONCE} creates at once, and finishes it once`, async () => {
      const at20 = <T>(send: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: AT_ONCE }, send));
      const traces = await at20(() => api.post('/api/traces', { id: 'single', name: 'n' }));
      expect(new Set(traces.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
      const spans = await at20(() => api.post('/api/spans', { id: 'one', trace_id: 'single', name: 's', input: 1 }));
      expect(new Set(spans.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
      const finishes = await at20(() => api.post('/api/spans/one/complete', { output: 2 }));
      expect(finishes.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array.from({ length: AT_ONCE - 1 }, () => 409),
      ]);
      const deletions = await at20(() => api.delete('/api/spans/one'));
      expect(deletions.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array.from({ length: AT_ONCE - 1 }, () => 404),
      ]);
      expect((await seen('single')).trace).toMatchObject({ span_count: 0, error_count: 0 });
      await expectRightRollUps('single');
    });

    it('keeps roll-ups right when everything is written, finished, corrected and deleted at once', async () => {
      await Promise.all(
        Array.from({ length: 200 }, async (_, n) => {
          const trace = `mix${n % 4}`;
          const batch = batchOf(trace);
          if (n % 5 === 0) await ingest({ ...batch, spans: shuffled(batch.spans, n).slice(0, 20) });
          else if (n % 5 === 1) await api.delete(`/api/spans/${trace}-${n % 60}`);
          else if (n % 5 === 2) await api.post(`/api/spans/${trace}-${(n * 3) % 60}/complete`, {});
          else if (n % 40 === 3) await api.delete(`/api/traces/${trace}`);
          else await api.post('/api/spans', { trace_id: trace, name: 'late' });
        }),
      );
      const mixed = (await api.traces()).map(({ id }) => id).filter((id) => id.startsWith('mix'));
      expect(mixed).not.toEqual([]);
      await expectRightRollUps(...mixed);
    });
  });
});
