import { describe, expect, it } from '@jest/globals';
import type { IngestSpan } from '@spandrel/contract';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { objectFromJsonText } from '@spandrel/storage';
import fc from 'fast-check';
import type { PricingTable } from '../pricing/pricing.js';
import type { StoredSpan } from '../span.entity.js';
import { traceListItem } from '../trace-resource.js';
import { applyRecords } from './apply-records.js';
import type { SpanRecord } from './tracing-job.js';
import { EMPTY_ROLLUP, rollUp } from './trace-rollup.js';
import type { TracingChange } from './span-commit-participant.js';
import { UnitOfWork } from './unit-of-work.js';

const PRICES: PricingTable = new Map([['m', { input: 1, output: 2 }]]);

const spanId = (n: number): string => n.toString(16).padStart(16, '0');
const traceId = (n: number): string => n.toString(16).padStart(32, '0');

interface Form {
  trace: number;
  span: number;
  parent: number | null;
  tokens: number;
  /** How much of the span the form reports. */
  stage: 'pending' | 'running' | 'finished';
}

function recordOf({ trace, span, parent, tokens, stage }: Form): SpanRecord {
  const startedAt = 1_000 + ((span * 7) % 5);
  const item: IngestSpan = {
    id: spanId(span),
    trace_id: traceId(trace),
    parent_id: parent === null ? null : spanId(parent),
    name: `span ${span}`,
    kind: {
      type: tokens % 2 === 0 ? 'llm_call' : 'custom',
      model: 'm',
      ...(stage === 'finished' && tokens > 0 && { input_tokens: tokens, output_tokens: 1 }),
    },
    status: stage === 'finished' ? 'completed' : 'running',
    started_at: startedAt,
    ...(stage === 'finished' && { ended_at: startedAt + span, output: { text: `${span}` } }),
    metadata: { own: span },
  };
  return {
    item,
    order: `${String(startedAt).padStart(20, '0')}${item.id}`,
    traceAttributes: { name: { rank: parent === null ? 2 : 3, value: item.name }, tags: [`t${span % 3}`] },
    pending: stage === 'pending',
  };
}

/** Writes jobs one after the other on one set, as a database that remembers would. */
class Written {
  readonly changes: TracingChange[] = [];
  readonly set = new UnitOfWork(LOCAL_SCOPE, this.changes);

  write(forms: readonly Form[]): this {
    const records = forms.map(recordOf);
    const job = { type: 'record_spans' as const, scope: LOCAL_SCOPE, now: 5_000, records, amendments: [] };
    expect(applyRecords(this.set, job, PRICES).rejected).toEqual([]);
    return this;
  }

  get spans(): StoredSpan[] {
    const spans = [...this.set.spans.values()].flatMap(({ now }) => now ?? []);
    return spans.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  get traces() {
    const traces = [...this.set.traces.values()].flatMap(({ now }) => now ?? []);
    return traces.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** Spans whose ids are their trace's alone; every span has a finished form and may have others. */
const forms = fc
  .array(
    fc.record({ parent: fc.option(fc.nat(11)), tokens: fc.nat(4), pending: fc.boolean(), running: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 10,
    },
  )
  .map((spans) =>
    spans.flatMap(({ parent, tokens, pending, running }, n): Form[] => {
      const trace = 1 + (n % 2);
      const span = 1 + n;
      // Parents are of the same trace; some never come.
      const up = parent === null || parent === n ? null : 1 + parent - (parent % 2) + (n % 2);
      const form = { trace, span, parent: up === span ? null : up, tokens };
      return [
        { ...form, stage: 'finished' },
        ...(pending ? [{ ...form, stage: 'pending' } as const] : []),
        ...(running ? [{ ...form, stage: 'running' } as const] : []),
      ];
    }),
  );

const jobs = forms.chain((all) =>
  fc.tuple(
    fc.constant(all),
    fc.shuffledSubarray(all, { minLength: all.length }),
    fc.array(fc.nat(20), { maxLength: 4 }),
    fc.array(fc.nat(30), { maxLength: 5 }),
  ),
);

/** One order of the forms, cut into jobs, some of them sent again. */
function asJobs(order: readonly Form[], cuts: readonly number[], again: readonly number[]): Form[][] {
  const sent = [...order, ...again.flatMap((index) => order[index] ?? [])];
  const places = [...new Set([0, ...cuts, sent.length])].filter((cut) => cut <= sent.length).toSorted((a, b) => a - b);
  return places.slice(1).map((end, index) => sent.slice(places[index], end));
}

describe('records of spans', () => {
  it('come to the same spans and traces in any order, cut anyhow, and however often', () => {
    fc.assert(
      fc.property(jobs, ([all, order, cuts, again]) => {
        const once = new Written().write(all);
        const other = new Written();
        for (const job of asJobs(order, cuts, again)) other.write(job);
        expect(other.spans).toEqual(once.spans);
        expect(other.traces).toEqual(once.traces);
      }),
    );
  });

  it('keep sums that equal a recount, in traces and in what participants hear', () => {
    fc.assert(
      fc.property(jobs, ([, order, cuts, again]) => {
        const written = new Written();
        for (const job of asJobs(order, cuts, again)) written.write(job);
        for (const trace of written.traces) {
          const own = written.spans.filter((span) => span.traceId === trace.id);
          const counted = own.reduce<typeof trace>((sum, span) => rollUp(sum, null, span), {
            ...trace,
            ...EMPTY_ROLLUP,
          });
          expect(traceListItem(trace)).toEqual(traceListItem(counted));
        }
        let tokens = 0;
        for (const change of written.changes) {
          if (!('after' in change)) continue;
          tokens += (change.after?.totalTokens ?? 0) - (change.before?.totalTokens ?? 0);
        }
        expect(tokens).toBe(written.spans.reduce((sum, span) => sum + (span.totalTokens ?? 0), 0));
      }),
    );
  });

  const chat: Form = { trace: 1, span: 2, parent: 1, tokens: 2, stage: 'finished' };
  const agent: Form = { trace: 1, span: 1, parent: null, tokens: 4, stage: 'finished' };

  it.each([
    ['the call first', [chat, agent]],
    ['the wrapper first', [agent, chat]],
  ])('count usage at the call and not at its wrapper, %s', (_title, sent) => {
    const written = new Written();
    for (const form of sent) written.write([form]);
    const [wrapper, call] = written.spans;
    expect([wrapper!.totalTokens, wrapper!.cost, wrapper!.model]).toEqual([null, null, 'm']);
    expect(objectFromJsonText(wrapper!.metadata)).toMatchObject({
      reported_usage: { input_tokens: 4, output_tokens: 1 },
    });
    expect([call!.totalTokens, call!.cost]).toEqual([3, 0.000_004]);
    expect(written.traces[0]!.totalTokens).toBe(3);
  });

  it('count at a wrapper whose calls report no usage', () => {
    const written = new Written().write([{ ...chat, tokens: 0 }, agent]);
    expect(written.traces[0]!.totalTokens).toBe(5);
  });

  it('report nothing when they come again', () => {
    const written = new Written().write([chat, agent]);
    const reported = written.changes.length;
    written.write([agent, chat]);
    expect(written.changes).toHaveLength(reported);
  });

  it('store a span id that another trace has with its trace behind it, and its children follow, whichever comes first', () => {
    const taken: Form = { trace: 2, span: 1, parent: null, tokens: 0, stage: 'finished' };
    const child: Form = { trace: 2, span: 5, parent: 1, tokens: 2, stage: 'finished' };
    const alias = `${spanId(1)}.${traceId(2)}`;
    for (const sent of [
      [taken, child],
      [child, taken],
    ]) {
      const written = new Written().write([agent]);
      for (const form of sent) written.write([form]);
      expect(written.spans.map(({ id, parentId }) => [id, parentId])).toEqual([
        [spanId(1), null],
        [alias, null],
        [spanId(5), alias],
      ]);
      expect(written.set.marks.made).toEqual([]);
    }
  });

  it('take along children that came before both', () => {
    const child: Form = { trace: 2, span: 5, parent: 1, tokens: 2, stage: 'finished' };
    const late: Form = { trace: 2, span: 1, parent: null, tokens: 4, stage: 'finished' };
    const written = new Written().write([child]).write([agent]).write([late]);
    const alias = `${spanId(1)}.${traceId(2)}`;
    expect(written.set.span(spanId(5))!.parentId).toBe(alias);
    expect(written.set.span(alias)!.totalTokens).toBeNull();
    expect(written.set.span(spanId(1))!.totalTokens).toBe(5);
  });
});
