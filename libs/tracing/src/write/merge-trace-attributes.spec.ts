import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newTrace, patchedTrace, originsOfNew } from './trace-row.js';
import { mergeTraceAttributes, type TraceAttributes } from './merge-trace-attributes.js';
import { traceResource } from '../trace-resource.js';
import type { TraceRow } from '../trace.entity.js';

interface Report {
  traceAttributes: TraceAttributes;
  startedAt: number;
  id: number;
}

const bare = (members = {}, origins = originsOfNew({ start: true, name: false })): TraceRow =>
  newTrace({ projectId: 'p', id: 't', startedAt: 1_000, createHash: null, origins }, members);

const merge = (trace: TraceRow, { traceAttributes, startedAt, id }: Report, weak = false): TraceRow =>
  mergeTraceAttributes(trace, traceAttributes, {
    order: `${String(startedAt).padStart(20, '0')}${id}`,
    startedAt,
    weak,
  });

const text = fc.constantFrom('a', 'b', 'c', '__proto__');
const ranked = fc.record({ rank: fc.integer({ min: 1, max: 3 }), value: text });
const tellings = fc
  .array(
    fc.record({
      traceAttributes: fc.record(
        {
          name: ranked,
          session: ranked,
          user: ranked,
          tags: fc.array(text, { maxLength: 3 }),
          metadata: fc.dictionary(text, fc.nat(3)),
          resource: fc.record({ service: fc.stringMatching(/^[a-z]{1,2}$/), attributes: fc.record({ n: fc.nat(3) }) }),
        },
        { requiredKeys: [] },
      ),
      startedAt: fc.nat(3),
    }),
    { maxLength: 30 },
  )
  .map((reports) => reports.map((report, id): Report => ({ ...report, id: id + 10 }) as Report));

const withOrder = tellings.chain((reports) =>
  fc.tuple(fc.constant(reports), fc.shuffledSubarray(reports, { minLength: reports.length })),
);

describe('what spans report of their trace', () => {
  it('comes to the same row in any order and however often', () => {
    fc.assert(
      fc.property(withOrder, ([reports, order]) => {
        const once = reports.reduce((trace, report) => merge(trace, report), bare());
        const again = [...order, ...order.toReversed()].reduce((trace, report) => merge(trace, report), bare());
        expect(again).toEqual(once);
      }),
    );
  });

  it('leaves what was given', () => {
    fc.assert(
      fc.property(tellings, (reports) => {
        const given = { name: 'given', session_id: null, user_id: 'me', tags: ['z', 'b'], metadata: { a: 'mine' } };
        const trace = patchedTrace(bare(), given);
        const { name, session_id, user_id, tags, metadata } = traceResource(
          reports.reduce((row, t) => merge(row, t), trace),
        );
        expect({ name, session_id, user_id }).toEqual({ name: 'given', session_id: null, user_id: 'me' });
        expect(tags.slice(0, 2)).toEqual(['z', 'b']);
        expect(metadata['a']).toBe('mine');
      }),
    );
  });

  it('takes the name of the root before that of an earlier span, and a default before nothing', () => {
    const byDefault = bare({ name: 'gpt-4o' }, originsOfNew({ start: true, name: true }));
    const span = merge(byDefault, { traceAttributes: { name: { rank: 3, value: 'chat' } }, startedAt: 1, id: 10 });
    expect(span.name).toBe('chat');
    const root = merge(span, { traceAttributes: { name: { rank: 2, value: 'agent' } }, startedAt: 5, id: 11 });
    expect(root.name).toBe('agent');
    expect(merge(root, { traceAttributes: { name: { rank: 3, value: 'other' } }, startedAt: 0, id: 12 }).name).toBe(
      'agent',
    );
  });

  it('moves a start that nobody gave to the earliest span, and leaves one that was given', () => {
    const report = { traceAttributes: {}, startedAt: 3, id: 10 };
    expect(merge(bare(), report).startedAt).toBe(3);
    expect(merge(bare({}, null), report).startedAt).toBe(1_000);
  });

  it('does not let a weak form replace what the span report before', () => {
    const report = (value: string): Report => ({ traceAttributes: { name: { rank: 2, value } }, startedAt: 1, id: 10 });
    const first = merge(bare(), report('final'));
    expect(merge(first, report('pending'), true)).toBe(first);
    expect(merge(merge(bare(), report('pending'), true), report('final')).name).toBe('final');
  });

  it('keeps the sixteen resources that were report first in time', () => {
    const reports = Array.from({ length: 20 }, (_, n): Report => ({
      traceAttributes: { resource: { service: `s${n}`, attributes: { n } } },
      startedAt: 20 - n,
      id: n + 10,
    }));
    const { metadata } = traceResource(reports.reduce((trace, report) => merge(trace, report), bare()));
    const { resources } = metadata['otel'] as { resources: object };
    expect(Object.keys(resources)).toHaveLength(16);
    expect(Object.keys(resources)).not.toContain('s0');
  });

  it('is kept by a native ingest of the trace, and replaced by a change', () => {
    const report = merge(bare(), { traceAttributes: { tags: ['b', 'a'], metadata: { m: 1 } }, startedAt: 1, id: 10 });
    const given = { tags: ['z'], metadata: { own: 1 } };
    const ingested = traceResource(patchedTrace(report, given, 'keep_reported'));
    expect(ingested).toMatchObject({ tags: ['z', 'a', 'b'], metadata: { own: 1, m: 1 } });
    expect(traceResource(patchedTrace(report, given))).toMatchObject({ tags: ['z'], metadata: { own: 1 } });
  });
});
