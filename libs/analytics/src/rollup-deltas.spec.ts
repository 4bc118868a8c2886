import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CountedSpan } from '@spandrel/tracing';
import { binOf } from './latency-histogram.js';
import { RollupDeltas } from './rollup-deltas.js';
import { GRAIN } from './rollup.entity.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './plan-range.js';

const span = (members: Partial<CountedSpan> = {}): CountedSpan => ({
  projectId: 'p',
  startedAt: 0,
  kindType: 'llm_call',
  model: 'm',
  provider: null,
  status: 1,
  inputTokens: 2,
  totalTokens: 3,
  cachedTokens: 1,
  durationMs: 10,
  cost: 0.1,
  ...members,
});

const rowsOf = (...changes: [CountedSpan, 1 | -1][]) => {
  const deltas = new RollupDeltas();
  for (const [counted, sign] of changes) deltas.add(counted, sign);
  return deltas.rows();
};

describe('deltas of the roll-ups', () => {
  it('count a span in its minute, its hour, its day, all time, and its hour with those of all names', () => {
    const startedAt = DAY_MS + 5 * HOUR_MS + 3 * MINUTE_MS + 7;
    const sums = {
      spanCount: 1,
      tokens: 3,
      inputTokens: 2,
      cachedTokens: 1,
      durationMs: 10,
      costUsd: 0,
      costPico: 100_000_000_000,
      costCount: 1,
      unpricedCount: 0,
      latencies: `${binOf(10)} `,
    };
    const key = { projectId: 'p', model: '=m', provider: '', status: 1, llm: 1 };
    expect(rowsOf([span({ startedAt }), 1])).toEqual([
      { ...key, grain: GRAIN.all, bucket: 0, ...sums, latencies: '' },
      { ...key, grain: GRAIN.day, bucket: DAY_MS, ...sums },
      { ...key, grain: GRAIN.hour, bucket: DAY_MS + 5 * HOUR_MS, ...sums },
      { ...key, grain: GRAIN.wholeHour, bucket: DAY_MS + 5 * HOUR_MS, model: '', llm: 0, ...sums },
      { ...key, grain: GRAIN.minute, bucket: DAY_MS + 5 * HOUR_MS + 3 * MINUTE_MS, ...sums },
    ]);
  });

  it('leave nothing of a span that came and went, and only what moved of one that changed', () => {
    expect(rowsOf([span(), 1], [span(), -1])).toEqual([]);
    const moved = rowsOf([span(), -1], [span({ startedAt: HOUR_MS }), 1]);
    expect(moved.map(({ grain, bucket, spanCount }) => [grain, bucket, spanCount])).toEqual([
      [GRAIN.hour, 0, -1],
      [GRAIN.hour, HOUR_MS, 1],
      [GRAIN.wholeHour, 0, -1],
      [GRAIN.wholeHour, HOUR_MS, 1],
      [GRAIN.minute, 0, -1],
      [GRAIN.minute, HOUR_MS, 1],
    ]);
    const renamed = rowsOf([span(), -1], [span({ model: 'n' }), 1]);
    expect(renamed.some(({ grain }) => grain === GRAIN.wholeHour)).toBe(false);
    const dearer = rowsOf([span(), -1], [span({ cost: 0.2, totalTokens: 4 }), 1]);
    expect(dearer.map(({ spanCount, tokens, costPico }) => [spanCount, tokens, costPico])).toEqual(
      Array.from({ length: 5 }, () => [0, 1, 100_000_000_000]),
    );
    const swapped = [10, 20, 15, 15].map((durationMs, index) => [span({ durationMs }), index < 2 ? -1 : 1] as const);
    // What they took together is what it was, how long each took is not.
    expect(
      rowsOf(...swapped.map(([one, sign]): [CountedSpan, 1 | -1] => [one, sign])).map(({ grain }) => grain),
    ).toEqual([GRAIN.day, GRAIN.hour, GRAIN.wholeHour, GRAIN.minute]);
  });

  it('keep no name, an empty name, kinds, statuses and projects apart', () => {
    const spans = [
      span({ model: null }),
      span({ model: '' }),
      span({ model: '=' }),
      span({ provider: '' }),
      span({ kindType: 'custom' }),
      span({ status: 2 }),
      span({ projectId: 'q' }),
    ];
    const rows = rowsOf(...spans.map((one): [CountedSpan, 1] => [one, 1]));
    expect(rows.filter(({ grain }) => grain !== GRAIN.wholeHour)).toHaveLength(4 * spans.length);
    // The grain of all names together differs by status and project only.
    expect(rows.filter(({ grain }) => grain === GRAIN.wholeHour)).toHaveLength(3);
  });

  it('keep costs exact and what is taken away below zero', () => {
    const costs = fc.array(fc.double({ min: 0, max: 2_000_000_000, noNaN: true }), { maxLength: 30 });
    fc.assert(
      fc.property(costs, (amounts) => {
        const spans = amounts.map((cost) => span({ cost }));
        const come = spans.map((one): [CountedSpan, 1] => [one, 1]);
        const go = spans.toReversed().map((one): [CountedSpan, -1] => [one, -1]);
        expect(rowsOf(...come, ...go)).toEqual([]);
        for (const { costUsd, costPico } of rowsOf(...go)) {
          expect(costPico >= 0 && costPico < 1e12 && Number.isInteger(costUsd)).toBe(true);
        }
      }),
    );
  });

  it('come in the order of their keys', () => {
    const spans = ['b', 'a', 'ä', 'B'].flatMap((model) =>
      [DAY_MS, -DAY_MS, 0].flatMap((startedAt) => ['q', 'p'].map((projectId) => span({ model, startedAt, projectId }))),
    );
    const keys = (of: readonly CountedSpan[]) =>
      rowsOf(...of.map((one): [CountedSpan, 1] => [one, 1])).map(({ projectId, grain, bucket, model }) =>
        JSON.stringify([projectId, grain, bucket, model]),
      );
    expect(keys(spans)).toEqual(keys(spans.toReversed()));
    expect(keys(spans).map((key) => (JSON.parse(key) as unknown[])[1])).toEqual([
      ...Array.from({ length: 4 }, () => 0),
      ...Array.from({ length: 12 }, () => 1),
      ...Array.from({ length: 12 }, () => 2),
      ...Array.from({ length: 3 }, () => 3),
      ...Array.from({ length: 12 }, () => 4),
      ...Array.from({ length: 4 }, () => 0),
      ...Array.from({ length: 12 }, () => 1),
      ...Array.from({ length: 12 }, () => 2),
      ...Array.from({ length: 3 }, () => 3),
      ...Array.from({ length: 12 }, () => 4),
    ]);
  });
});
