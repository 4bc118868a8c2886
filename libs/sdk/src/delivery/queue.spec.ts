import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Queue, type QueuedItem } from './queue.js';
import { TestSpan, TestTrace } from '../../../../test/sdk/support/outgoing-things.js';

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Counts again what the queue says it holds. */
function recount(queue: Queue): number {
  const traces = new Map<unknown, string>();
  let bytes = 0;
  for (let index = 0; index < queue.length; index++) {
    const { trace, text } = queue.at(index)!;
    traces.set(trace, trace.json);
    if (text) bytes += text.end - text.start;
  }
  return bytes + [...traces.values()].reduce((sum, json) => sum + bytesOf(json), 0);
}

const add = (queue: Queue, span: TestSpan, place: number): boolean =>
  queue.addText(span.json(), span.trace, place, false);

const textOf = ({ text }: QueuedItem): string => new TextDecoder().decode(text!.chunk.subarray(text!.start, text!.end));

describe('Queue', () => {
  it('counts its bytes exactly and never holds more than its bound, in whatever order it is used', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    const step = fc.oneof(
      fc.record({ do: fc.constant('span' as const), trace: fc.nat(3), text }),
      fc.record({ do: fc.constant('trace' as const), trace: fc.nat(3), text }),
      fc.record({ do: fc.constant('refuse' as const), trace: fc.nat(3) }),
      fc.record({ do: fc.constant('remove' as const), count: fc.nat(5), keep: fc.nat(31) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 0, max: 2_000 }), (steps, bytesMax) => {
        const queue = new Queue(bytesMax);
        const traces = [0, 1, 2, 3].map((n) => new TestTrace(`t${n}`));
        const expected: (string | null)[] = [];
        steps.forEach((step, n) => {
          const before = queue.bytes;
          if (step.do === 'span') {
            const span = new TestSpan(`s${n}`, traces[step.trace]!, step.text);
            const needed =
              bytesOf(span.json()) + (queue.traceOf(span.trace).items > 0 ? 0 : bytesOf(span.trace.json()));
            const isAdded = add(queue, span, n);
            if (isAdded) expected.push(span.json());
            else expect(before).toBe(queue.bytes);
            if (!isAdded) expect(before + Math.min(needed, bytesOf(span.json()))).toBeGreaterThan(bytesMax - needed);
          } else if (step.do === 'trace') {
            traces[step.trace]!.name = step.text;
            if (queue.addTrace(traces[step.trace]!, n) === 'added') expected.push(null);
          } else if (step.do === 'refuse') queue.refuse(queue.traceOf(traces[step.trace]!));
          else {
            const count = Math.min(step.count, queue.length);
            const kept = [...expected.keys()].filter((index) => index < count && (step.keep & (1 << index)) !== 0);
            queue.remove(count, kept);
            expected.splice(0, count, ...kept.map((index) => expected[index]!));
          }
          expect(queue.bytes).toBe(recount(queue));
          expect(queue.bytes).toBeLessThanOrEqual(bytesMax);
        });
        const held = Array.from({ length: queue.length }, (_, index) => queue.at(index)!);
        expect(held.map((item) => (item.text ? textOf(item) : null))).toEqual(expected);
      }),
    );
  });

  it('keeps texts of all sizes as they are', () => {
    const queue = new Queue(100_000_000);
    const trace = new TestTrace('t');
    const texts = Array.from(
      { length: 400 },
      (_, n) => 'aé漢😀'.repeat((n * 37) % 900) + 'z'.repeat(n % 7 === 0 ? 40_000 : 0),
    );
    texts.forEach((text, n) => expect(add(queue, new TestSpan(`s${n}`, trace, text), n)).toBe(true));
    texts.forEach((text, n) => expect(JSON.parse(textOf(queue.at(n)!))).toMatchObject({ input: text }));
  });

  it('counts a trace for itself whatever another queue holds of it', () => {
    const [one, other] = [new Queue(1_000), new Queue(1_000)];
    const trace = new TestTrace('t');
    expect(one.addTrace(trace, 1)).toBe('added');
    const { bytes } = one;
    trace.name = 'a longer second';
    expect(add(other, new TestSpan('s', trace), 1)).toBe(true);
    expect(other.refuse(other.traceOf(trace))).toBe(true);
    expect(one).toMatchObject({ bytes, length: 1 });
    expect(one.at(0)!.trace.json).toContain('first');
    one.remove(1, []);
    expect(one).toMatchObject({ bytes: 0, length: 0 });
    expect(other.at(0)!.trace.json).toBe('{"id":"t"}');
    expect(other.bytes).toBe(recount(other));
  });

  it('lets go of what is gone', () => {
    const queue = new Queue(100_000_000);
    const trace = new TestTrace('t');
    for (let n = 0; n < 5_000; n++) add(queue, new TestSpan(`s${n}`, trace), n);
    queue.remove(4_999, []);
    expect(textOf(queue.at(0)!)).toContain('s4999');
    queue.remove(1, []);
    expect(queue).toMatchObject({ bytes: 0, length: 0, firstPlace: Infinity });
  });
});
