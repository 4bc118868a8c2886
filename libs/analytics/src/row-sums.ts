import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BucketSums, CountedThing, GroupSums } from '@spandrel/contract';
import { Turn } from '@spandrel/kernel';
import { STATUS } from '@spandrel/tracing';
import { LatencyHistogram } from './latency-histogram.js';
import { addSums, costOfSums, latencyOfSums, noSums } from './sums.js';
import type { SplitKey, SumsRow } from './time-series.store.js';

/** Characters of histograms that are read in one go: a millisecond or so. */
const TEXT_PER_TURN = 50_000;

export interface RowHistograms {
  latencies: LatencyHistogram;
  firsts: LatencyHistogram;
}

/** Hands out rows with their histograms, one after the other; the event loop turns meanwhile. */
export async function readRows(
  rows: readonly SumsRow[],
  take: (row: SumsRow, histograms: RowHistograms) => void,
): Promise<void> {
  let read = 0;
  const turn = new Turn();
  for (const row of rows) {
    const histograms = { latencies: new LatencyHistogram(), firsts: new LatencyHistogram() };
    for (const name of ['latencies', 'firsts'] as const) {
      for (let at = 0, end = 0; at < row[name].length; at = end) {
        end = row[name].indexOf(' ', at + TEXT_PER_TURN - 1) + 1 || row[name].length;
        histograms[name].addText(row[name].slice(at, end));
        if ((read += end - at) < TEXT_PER_TURN) continue;
        read = 0;
        await nextTurn();
      }
    }
    take(row, histograms);
    if (turn.isOver()) await turn.next();
  }
}

export class RowSums {
  private readonly sums = noSums();
  private readonly latencies = new LatencyHistogram();
  private readonly firsts = new LatencyHistogram();
  private readonly scores = { count: 0, sum: 0 };

  add(row: SumsRow, { latencies, firsts }: RowHistograms): void {
    addSums(this.sums, row);
    this.latencies.addAll(latencies);
    this.firsts.addAll(firsts);
    this.scores.count += row.scores;
    this.scores.sum += row.scoreSum;
  }

  toBucket({ of, percentiles }: { of: CountedThing; percentiles: boolean }): BucketSums {
    const { sums } = this;
    return {
      span_count: sums.spans,
      cost: costOfSums(sums),
      unpriced_count: sums.unpriced,
      tokens: sums.tokens,
      input_tokens: of === 'traces' ? null : sums.inputTokens,
      output_tokens: of === 'traces' ? null : sums.tokens - sums.inputTokens,
      cached_input_tokens: of === 'traces' ? null : sums.cachedTokens,
      avg_latency_ms: latencyOfSums(sums),
      finished_count: sums.finished,
      error_count: sums.errors,
      ...(percentiles && this.latencies.percentiles()),
    };
  }

  toGroup(asked: { percentiles: boolean; firstTokens: boolean; score: boolean }): GroupSums {
    const { p50_ms: first50, p95_ms: first95, p99_ms: first99 } = this.firsts.percentiles();
    const { count, sum } = this.scores;
    const { finished, errors } = this.sums;
    return {
      ...this.toBucket({ of: 'spans', percentiles: asked.percentiles }),
      error_rate: finished === 0 ? null : errors / finished,
      ...(asked.firstTokens && {
        first_token_p50_ms: first50,
        first_token_p95_ms: first95,
        first_token_p99_ms: first99,
      }),
      ...(asked.score && { score_count: count, score_mean: count === 0 ? null : sum / count }),
    };
  }
}

const STATUS_NAMES = new Map(Object.entries(STATUS).map(([name, status]) => [String(status), name]));

/** A key as the wire has it; `null` for none. @param key of a row. */
export function keyOfRow(by: SplitKey, key: string | null): string | null {
  if (key === null || key === '') return null;
  const value = key.slice(1);
  return by === 'status' ? (STATUS_NAMES.get(value) ?? null) : value;
}
