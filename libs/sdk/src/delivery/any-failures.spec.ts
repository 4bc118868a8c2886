import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Delivery } from './delivery.js';
import type { FlushResult } from './pauses.js';
import { FakeIngest, type Behaviour } from '../../../../test/sdk/support/fake-ingest.js';
import { TestSpan, TestTrace } from '../../../../test/sdk/support/outgoing-things.js';
import { VirtualTimers } from '../../../../test/sdk/support/virtual-timers.js';

type Step =
  | { do: 'start' }
  | { do: 'trace' }
  | { do: 'flush' }
  | { do: 'end'; pick: number; text: string }
  | { do: 'wait'; ms: number }
  | { do: 'fail'; how: Behaviour };

const behaviour: fc.Arbitrary<Behaviour> = fc.constantFrom<Behaviour[]>(
  'take',
  'refuse connection',
  'hang',
  'take, then cut',
  'garbage',
  'too few accounted for',
  { status: 401 },
  { status: 403 },
  { status: 404 },
  { status: 408 },
  { status: 429, retryAfter: '7' },
  { status: 500 },
  { status: 503 },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'start' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      pick: fc.nat(9),
      text: fc.string({ unit: 'grapheme', maxLength: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'trace' }, { do: 'flush' }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 40_000 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fail' as const), how: behaviour }) },
);

describe('any order of failures', () => {
  it('brings each span once and in its last form, or counts it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.record({
          queueBytes: fc.integer({ min: 300, max: 3_000 }),
          batchItems: fc.integer({ min: 1, max: 6 }),
          bodyBytesMax: fc.constantFrom(250, 500, Infinity),
          faults: fc.array(fc.nat(20), { maxLength: 4 }),
          random: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        async (steps, { queueBytes, batchItems, bodyBytesMax, faults, random }) => {
          const timers = new VirtualTimers();
          const api = new FakeIngest();
          api.bodyBytesMax = bodyBytesMax;
          faults.forEach((n) => (n % 2 === 0 ? api.poison : api.invalid).add(`s${n}`));
          const delivery = new Delivery({
            apiUrl: 'http://api.test',
            queueBytes,
            fetch: api.fetch,
            timers,
            random: () => random,
            onReport: () => undefined,
            pace: { batchItems, batchBytes: 600 },
          });
          const traces = ['t0', 't1'].map((id) => new TestTrace(id));
          const running: TestSpan[] = [];
          const ended: TestSpan[] = [];
          let started = 0;
          const run = async (step: Step): Promise<void> => {
            if (step.do === 'start') {
              const span = new TestSpan(`s${started}`, traces[started++ % 2]!);
              running.push(span);
              delivery.started(span);
            } else if (step.do === 'end') {
              const [span] = running.splice(step.pick % Math.max(1, running.length), 1);
              if (!span) return;
              Object.assign(span, { text: step.text });
              ended.push(span.end());
              delivery.ended(span);
            } else if (step.do === 'trace') {
              traces[0]!.name += '!';
              delivery.traced(traces[0]!);
            } else if (step.do === 'flush') void delivery.flush({ timeoutMs: 3_000 });
            else if (step.do === 'fail') api.behaviours.push(step.how);
            else await timers.advance(step.ms);
            const { delivered, dropped, rejected } = resultOf(delivery);
            expect(delivered + dropped + rejected).toBeLessThanOrEqual(ended.length + traces[0]!.name.length);
          };
          for (const step of steps) await run(step);
          // All is well from now on.
          await timers.advance(600_000 + 60_000 * api.behaviours.length);
          const { delivered, dropped, rejected, pending } = resultOf(delivery);
          expect(pending).toBe(0);
          const stored = ended.filter(({ id }) => api.spans.get(id)?.['status'] === 'completed');
          expect(ended.length - stored.length).toBeLessThanOrEqual(dropped + rejected);
          expect(delivered).toBeGreaterThanOrEqual(stored.length);
          for (const span of stored) expect(api.spans.get(span.id)).toEqual(JSON.parse(span.json()));
          if (!steps.some((step) => step.do === 'trace') && bodyBytesMax === Infinity) {
            expect(delivered).toBe(stored.length);
            expect(delivered + dropped + rejected).toBe(ended.length);
          }
        },
      ),
    );
  });
});

/** How it stands, without waiting for anything. */
const resultOf = (delivery: Delivery): FlushResult => (delivery as unknown as { result(): FlushResult }).result();
