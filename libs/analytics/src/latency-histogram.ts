import { PERCENTILE_ERROR, type BucketSums } from '@spandrel/contract';

/** The longest time between two timestamps, in milliseconds: the years 1 to 9999. */
const LONGEST_MS = 315_537_897_600_000;

/** The greatest latency of a bin whose exact latencies its estimate misses by no more than the error, as a part. */
const lastOf = (first: number): number =>
  Math.max(first, Math.floor((first * (1 + PERCENTILE_ERROR)) / (1 - PERCENTILE_ERROR)));

/** The least latency of each bin, in whole milliseconds. Bins are stored by number: their bounds must never change. */
export const FIRSTS: readonly number[] = (() => {
  const firsts: number[] = [];
  for (let first = 0; first <= LONGEST_MS; first = lastOf(first) + 1) firsts.push(first);
  return firsts;
})();

/** The bin of a latency. @param latencyMs a whole number, not negative. */
export function binOf(latencyMs: number): number {
  let [low, high] = [0, FIRSTS.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (FIRSTS[middle]! <= latencyMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The latency that a bin stands for: as far from its first as from its last, each as a part of itself. */
function estimateOf(bin: number): number {
  const first = FIRSTS[bin]!;
  const last = lastOf(first);
  return first === last ? first : (2 * first * last) / (first + last);
}

/** The counts of the histogram whose percentiles are being found, by bin. */
const ordered = new Float64Array(FIRSTS.length);

/** The estimate of the latency at a place in their order; `null` when there are not as many. */
function latencyAt(place: number): number | null {
  if (place === 0) return null;
  let left = place;
  const bin = ordered.findIndex((count) => (left -= count) <= 0);
  return bin === -1 ? null : estimateOf(bin);
}

const [BLANK, COLON, MINUS, EQUALS, ZERO] = [...' :-=0'].map((character) => character.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
];

/**
 * How many spans took how long, in bins whose width grows with the latency (ADR 0027). Its text is a list, in which a bin may
 * stand more than once: two histograms are added up by writing one behind the other, what is taken away counts below zero.
 *
 * Each entry ends with a blank: `87 ` a span in bin 87, `87:3 ` three, `=1234 ` one that took 1,234 ms.
 */
export class LatencyHistogram {
  private readonly counts = new Map<number, number>();

  get isEmpty(): boolean {
    return this.counts.size === 0;
  }

  /** @param latencyMs a whole number, not negative. */
  add(latencyMs: number, count: number): void {
    this.addToBin(binOf(latencyMs), count);
  }

  addAll(other: LatencyHistogram): void {
    for (const [bin, count] of other.counts) this.addToBin(bin, count);
  }

  addText(text: string): void {
    let [bin, value, sign, isExact, hasCount] = [0, 0, 1, false, false];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === BLANK) {
        if (isExact) this.add(value, 1);
        else if (hasCount) this.addToBin(bin, sign * value);
        else this.addToBin(value, 1);
        [bin, value, sign, isExact, hasCount] = [0, 0, 1, false, false];
      } else if (code === COLON) [bin, value, hasCount] = [value, 0, true];
      else if (code === MINUS) sign = -1;
      else if (code === EQUALS) isExact = true;
      else value = value * 10 + code - ZERO;
    }
  }

  /** Each bin once, in order: equal for equal histograms. */
  toText(): string {
    const entries = [...this.counts].toSorted(([a], [b]) => a - b);
    return entries.map(([bin, count]) => (count === 1 ? `${bin} ` : `${bin}:${count} `)).join('');
  }

  /** Estimates of the latencies that 50, 95 and 99 of a hundred spans did not exceed; `null` when nothing has ended. */
  percentiles(): Required<Pick<BucketSums, 'p50_ms' | 'p95_ms' | 'p99_ms'>> {
    let total = 0;
    for (const [bin, count] of this.counts) {
      ordered[bin] = count;
      total += count;
    }
    const found = [50, 95, 99].map((percent) => latencyAt(Math.ceil((percent * total) / 100)));
    ordered.fill(0);
    const [p50_ms = null, p95_ms = null, p99_ms = null] = found;
    return { p50_ms, p95_ms, p99_ms };
  }

  private addToBin(bin: number, count: number): void {
    const sum = (this.counts.get(bin) ?? 0) + count;
    if (sum === 0) this.counts.delete(bin);
    else this.counts.set(bin, sum);
  }
}

/** The text of a histogram with each bin once. */
export function compactLatencies(text: string): string {
  const histogram = new LatencyHistogram();
  histogram.addText(text);
  return histogram.toText();
}
