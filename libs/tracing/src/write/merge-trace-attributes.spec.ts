import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newTrace, patchedTrace, originsOfNew } from './trace-row.js';
import { mergeTraceAttributes, type TraceAttributes } from './merge-trace-attributes.js';
import { traceResource } from '../trace-resource.js';
import type { TraceRow } from '../trace.entity.js';

interface Told {
  telling: TraceAttributes;
  startedAt: number;
  id: number;
}

const bare = (members = {}, origins = originsOfNew({ start: true, name: false })): TraceRow =>
  newTrace({ projectId: 'p', id: 't', startedAt: 1_000, createHash: null, origins }, members);

const tell = (trace: TraceRow, { telling, startedAt, id }: Told, weak = false): TraceRow =>
  mergeTraceAttributes(trace, telling, { order: `${String(startedAt).padStart(20, '0')}${id}`, startedAt, weak });

const text = fc.constantFrom('a', 'b', 'c', '__proto__');
const ranked = fc.record({ rank: fc.integer({ min: 1, max: 3 }), value: text });
const tellings = fc
  .array(
    fc.record({
      telling: fc.record(
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
  .map((tolds) => tolds.map((told, id): Told => ({ ...told, id: id + 10 }) as Told));

const withOrder = tellings.chain((tolds) =>
  fc.tuple(fc.constant(tolds), fc.shuffledSubarray(tolds, { minLength: tolds.length })),
);

describe('what spans tell of their trace', () => {
  it('comes to the same row in any order and however often', () => {
    fc.assert(
      fc.property(withOrder, ([tolds, order]) => {
        const once = tolds.reduce((trace, told) => tell(trace, told), bare());
        const again = [...order, ...order.toReversed()].reduce((trace, told) => tell(trace, told), bare());
        expect(again).toEqual(once);
      }),
    );
  });

  it('leaves what was given', () => {
    fc.assert(
      fc.property(tellings, (tolds) => {
        const given = { name: 'given', session_id: null, user_id: 'me', tags: ['z', 'b'], metadata: { a: 'mine' } };
        const trace = patchedTrace(bare(), given);
        const { name, session_id, user_id, tags, metadata } = traceResource(
          tolds.reduce((row, t) => tell(row, t), trace),
        );
        expect({ name, session_id, user_id }).toEqual({ name: 'given', session_id: null, user_id: 'me' });
        expect(tags.slice(0, 2)).toEqual(['z', 'b']);
        expect(metadata['a']).toBe('mine');
      }),
    );
  });

  it('takes the name of the root before that of an earlier span, and a default before nothing', () => {
    const byDefault = bare({ name: 'gpt-4o' }, originsOfNew({ start: true, name: true }));
    const span = tell(byDefault, { telling: { name: { rank: 3, value: 'chat' } }, startedAt: 1, id: 10 });
    expect(span.name).toBe('chat');
    const root = tell(span, { telling: { name: { rank: 2, value: 'agent' } }, startedAt: 5, id: 11 });
    expect(root.name).toBe('agent');
    expect(tell(root, { telling: { name: { rank: 3, value: 'other' } }, startedAt: 0, id: 12 }).name).toBe('agent');
  });

  it('moves a start that nobody gave to the earliest span, and leaves one that was given', () => {
    const told = { telling: {}, startedAt: 3, id: 10 };
    expect(tell(bare(), told).startedAt).toBe(3);
    expect(tell(bare({}, null), told).startedAt).toBe(1_000);
  });

  it('does not let a weak form replace what the span told before', () => {
    const told = (value: string): Told => ({ telling: { name: { rank: 2, value } }, startedAt: 1, id: 10 });
    const first = tell(bare(), told('final'));
    expect(tell(first, told('pending'), true)).toBe(first);
    expect(tell(tell(bare(), told('pending'), true), told('final')).name).toBe('final');
  });

  it('keeps the sixteen resources that were told first in time', () => {
    const tolds = Array.from({ length: 20 }, (_, n): Told => ({
      telling: { resource: { service: `s${n}`, attributes: { n } } },
      startedAt: 20 - n,
      id: n + 10,
    }));
    const { metadata } = traceResource(tolds.reduce((trace, told) => tell(trace, told), bare()));
    const { resources } = metadata['otel'] as { resources: object };
    expect(Object.keys(resources)).toHaveLength(16);
    expect(Object.keys(resources)).not.toContain('s0');
  });

  it('is kept by a native ingest of the trace, and replaced by a change', () => {
    const told = tell(bare(), { telling: { tags: ['b', 'a'], metadata: { m: 1 } }, startedAt: 1, id: 10 });
    const given = { tags: ['z'], metadata: { own: 1 } };
    const ingested = traceResource(patchedTrace(told, given, 'keep_reported'));
    expect(ingested).toMatchObject({ tags: ['z', 'a', 'b'], metadata: { own: 1, m: 1 } });
    expect(traceResource(patchedTrace(told, given))).toMatchObject({ tags: ['z'], metadata: { own: 1 } });
  });
});
