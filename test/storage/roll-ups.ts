import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { SpanResource, TraceListItem } from '@spandrel/contract';
import type { TracingApp } from './tracing-app.js';
import { repetitions } from '../support/repetitions.ts';

const at = (ms: number): string => new Date(Date.UTC(2026, 5, 1) + ms).toISOString();

export function rollUps(app: () => TracingApp): void {
  describe('the roll-up of a trace', () => {
    it('equals a recount of its spans after any writes', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 6 }), { maxLength: 8 }), async (batches) => {
          const traceId = `roll-${run++}`;
          await app().post('/api/traces', { id: traceId, started_at: at(0) });
          for (const batch of batches) await Promise.all(batch.map((write) => write(app(), traceId)));
          const { trace, spans } = (await app().get(`/api/traces/${traceId}`)).body;
          expect(trace).toMatchObject(recount(spans, trace));
        }),
        { numRuns: repetitions(30) },
      );
    });
  });
}

function recount(spans: SpanResource[], trace: TraceListItem): Partial<TraceListItem> {
  const ended = spans.map(({ ended_at: end }) => end).filter((end) => end !== null);
  const running = spans.some(({ status }) => status === 'running');
  const failed = spans.filter(({ error }) => error !== null).length;
  const costs = spans.map(({ kind }) => kind['cost']).filter((cost) => typeof cost === 'number');
  const tokens = spans.map(({ kind }) => Number(kind['input_tokens'] ?? 0) + Number(kind['output_tokens'] ?? 0));
  const end = spans.length === 0 || running ? null : ended.toSorted().at(-1)!;
  return {
    span_count: spans.length,
    error_count: failed,
    total_tokens: tokens.reduce((sum, count) => sum + count, 0),
    total_cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + Math.round(cost * 1e12), 0) / 1e12,
    unpriced_count: spans.filter(isUnpriced).length,
    ended_at: end,
    duration_ms: end === null ? null : Math.max(0, Date.parse(end) - Date.parse(trace.started_at)),
    models: [...new Set(spans.map(({ kind }) => String(kind['model'])))]
      .filter((model) => model !== 'undefined')
      .toSorted(),
    status: end === null ? 'running' : failed > 0 ? 'failed' : 'completed',
  };
}

const isUnpriced = ({ kind: of, status }: SpanResource): boolean =>
  status !== 'running' && of['cost'] === null && Number(of['input_tokens'] ?? 0) + Number(of['output_tokens'] ?? 0) > 0;

type Write = (app: TracingApp, traceId: string) => Promise<unknown>;

const id = fc.integer({ min: 0, max: 4 });
const kind = fc.oneof(
  fc.constant(undefined),
  fc.constant({ type: 'custom' }),
  fc.record({
    type: fc.constant('llm_call'),
    model: fc.constantFrom('gpt-4o', 'gpt-4o-mini', 'own', '__proto__'),
    input_tokens: fc.option(fc.nat(1000)),
    output_tokens: fc.option(fc.nat(1000)),
    cost: fc.constantFrom(null, null, 0.1, 0.2, 1e-12, 12.345678901234),
  }),
);
const end = fc.integer({ min: 100, max: 160 });

const operation: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(id, kind).map(
    ([n, of]): Write =>
      (app, traceId) =>
        app.post('/api/spans', { id: `${traceId}-${n}`, trace_id: traceId, name: 's', kind: of, started_at: at(50) }),
  ),
  fc.tuple(id, kind, end).map(
    ([n, of, ms]): Write =>
      (app, traceId) =>
        app.post(`/api/spans/${traceId}-${n}/complete`, { kind: of, ended_at: at(ms) }),
  ),
  fc.tuple(id, end).map(
    ([n, ms]): Write =>
      (app, traceId) =>
        app.post(`/api/spans/${traceId}-${n}/fail`, { error: 'e', ended_at: at(ms) }),
  ),
  id.map(
    (n): Write =>
      (app, traceId) =>
        app.delete(`/api/spans/${traceId}-${n}`),
  ),
  fc.array(fc.tuple(id, kind, fc.option(end), fc.boolean()), { maxLength: 5 }).map(
    (items): Write =>
      (app, traceId) =>
        app.post('/api/ingest', {
          spans: items.map(([n, of, ms, failed]) => ({
            id: `${traceId}-${n}`,
            trace_id: traceId,
            name: 's',
            kind: of,
            started_at: at(40),
            ended_at: ms === null ? null : at(ms),
            error: failed && ms !== null ? 'e' : null,
          })),
        }),
  ),
);
