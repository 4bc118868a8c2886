import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredSpan } from '@spandrel/tracing';
import { keepLogMembers, logsMerged, withLogs, withoutLogs, type LogView } from './log-members.js';

const outputs = fc.option(
  fc.dictionary(fc.constantFrom('text', 'finish_reason', 'tool_calls'), fc.constantFrom(null, 'x', 'y')),
  { nil: undefined },
);
const evaluation = (n: number) => ({ name: 'evaluated', time_unix_nano: `${n}`, attributes: {}, from_logs: true });
const logged = fc.record({
  input: fc.constantFrom(undefined, ['logged']),
  output: outputs,
  count: fc.integer({ min: 1, max: 3 }),
  events: fc.subarray([evaluation(9), evaluation(10)]),
});
const own = fc.record({
  input: fc.constantFrom(undefined, ['own']),
  output: outputs,
  metadata: fc.constantFrom({ otel: { kind: 'client' } }, { otel: { kind: 'client', events: [{ name: 'own' }] } }),
});

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
const stored = ({ input, output, metadata }: LogView): StoredSpan =>
  ({ input: textOf(input), output: textOf(output), metadata: textOf(metadata) }) as StoredSpan;

describe('what log events bring to a span', () => {
  it('never replaces what the span gave', () => {
    fc.assert(
      fc.property(own, logged, (span, events) => {
        const merged = withLogs(span, events);
        if (span.input !== undefined) expect(merged.input).toEqual(span.input);
        const given = Object.entries(span.output ?? {}).filter(([, value]) => value !== null);
        expect(merged.output ?? {}).toMatchObject(Object.fromEntries(given));
      }),
    );
  });

  it('is the same whether the span or the events come first', () => {
    fc.assert(
      fc.property(own, logged, logged, (span, some, more) => {
        const members = Object.entries(more.output ?? {}).filter(([, value]) => value !== null);
        const all = {
          input: more.input ?? some.input,
          output: some.output || more.output ? { ...some.output, ...Object.fromEntries(members) } : undefined,
          count: some.count + more.count,
          events: [evaluation(9), evaluation(10)].filter(({ time_unix_nano: time }) =>
            [...some.events, ...more.events].some((event) => event.time_unix_nano === time),
          ),
        };
        const together = withLogs(span, all);
        const first = logsMerged(stored(span), some) ?? span;
        expect(logsMerged(stored(first), all) ?? first).toEqual(together);
      }),
    );
  });

  it('is merged again without any effect', () => {
    fc.assert(
      fc.property(own, logged, (span, events) => {
        expect(logsMerged(stored(withLogs(span, events)), events)).toBeUndefined();
      }),
    );
  });

  it('stays when the span comes again after the events are gone', () => {
    fc.assert(
      fc.property(own, logged, (span, events) => {
        const merged = withLogs(span, events);
        const item = { id: 's', trace_id: 't', name: 'n', ...span };
        const { input, output, metadata } = keepLogMembers(item, stored(merged));
        expect({ input, output, metadata }).toEqual(merged);
      }),
    );
  });

  it('is not replaced by fewer events, which fill in what is missing', () => {
    fc.assert(
      fc.property(own, logged, logged, (span, events, late) => {
        const merged = withLogs(span, { ...events, count: 4 });
        const after = logsMerged(stored(merged), late) ?? merged;
        if (merged.input !== undefined) expect(after.input).toEqual(merged.input);
        const given = Object.entries(merged.output ?? {}).filter(([, value]) => value !== null);
        expect(after.output ?? {}).toMatchObject(Object.fromEntries(given));
        expect(after.metadata['otel']).toMatchObject({ kind: 'client' });
      }),
    );
  });

  it('keeps events that are no messages as events of the span, once and in their order', () => {
    const none = { input: undefined, output: undefined, count: 0 };
    const span: LogView = { input: 'own', output: undefined, metadata: { otel: { events: [{ name: 'own' }] } } };
    const [late, early] = [evaluation(10), evaluation(9)];
    const first = withLogs(span, { ...none, events: [late] });
    const second = logsMerged(stored(first), { ...none, events: [early] })!;
    expect(second.metadata).toEqual({ otel: { events: [{ name: 'own' }, early, late] } });
    expect(logsMerged(stored(second), { ...none, events: [early, late] })).toBeUndefined();
    expect(withoutLogs(second)).toEqual(span);
  });

  it('can be taken away', () => {
    const span: LogView = { input: undefined, output: { text: 'x' }, metadata: { otel: {} } };
    const merged = withLogs(span, {
      input: ['logged'],
      output: { text: 'y', finish_reason: 'stop' },
      count: 2,
      events: [],
    });
    expect(merged).toEqual({
      input: ['logged'],
      output: { text: 'x', finish_reason: 'stop' },
      metadata: {
        otel: { from_logs: ['input', 'output.finish_reason'], log_events: 2, logged: { output: { text: 'y' } } },
      },
    });
    expect(withoutLogs(merged)).toEqual(span);
  });

  it('that a span says otherwise stands beside it', () => {
    const span: LogView = { input: ['own'], output: { text: 'x' }, metadata: { otel: {} } };
    const events = { input: ['logged'], output: { text: 'x', finish_reason: 'stop' }, count: 2, events: [] };
    const merged = withLogs(span, events);
    expect(merged).toEqual({
      input: ['own'],
      output: { text: 'x', finish_reason: 'stop' },
      metadata: { otel: { from_logs: ['output.finish_reason'], log_events: 2, logged: { input: ['logged'] } } },
    });
    expect(withoutLogs(merged)).toEqual(span);
    const later = { ...span, input: undefined };
    expect(keepLogMembers(later, stored(merged)).input).toEqual(['logged']);
  });
});
