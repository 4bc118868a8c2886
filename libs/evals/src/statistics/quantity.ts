import type { EvalStatistics } from '@spandrel/contract';
import { Sum, withRoom } from './numerics.js';

/** Values that are sorted at a time; sorting them takes some 1 ms, which holds up no request for long. */
const BLOCK = 1 << 14;

/** Values of which any quantile can be asked: kept in sorted blocks, 8 bytes a value. */
export class OrderStatistics {
  private readonly full: Float64Array[] = [];
  private current = new Float64Array(64);
  private filled = 0;

  add(value: number): void {
    if (this.filled === BLOCK) {
      this.full.push(this.current.sort());
      this.current = new Float64Array(BLOCK);
      this.filled = 0;
    } else if (this.filled === this.current.length) {
      const larger = new Float64Array(Math.min(2 * this.filled, BLOCK));
      larger.set(this.current);
      this.current = larger;
    }
    this.current[this.filled++] = value;
  }

  get count(): number {
    return this.full.length * BLOCK + this.filled;
  }

  /** Quantiles of type 7, linear between order statistics: h = (n−1)·q (ADR 0046, rule 7). `null` without values. */
  quantiles(shares: readonly number[]): (number | null)[] {
    if (this.count === 0) return shares.map(() => null);
    const blocks = [...this.full, this.current.slice(0, this.filled).sort()];
    return shares.map((share) => {
      const h = (this.count - 1) * share;
      const below = Math.floor(h);
      const value = nthOfBlocks(blocks, below);
      return h === below ? value : value + (h - below) * (nthOfBlocks(blocks, below + 1) - value);
    });
  }
}

/**
 * The value that has `rank` others before it in the order of all blocks. The middle of the largest part that is left divides
 * all parts, until it is the one.
 */
function nthOfBlocks(blocks: readonly Float64Array[], rank: number): number {
  const parts = blocks.map((values) => ({ values, from: 0, to: values.length }));
  for (;;) {
    let widest = parts[0]!;
    for (const part of parts) if (part.to - part.from > widest.to - widest.from) widest = part;
    const pivot = widest.values[(widest.from + widest.to) >> 1]!;
    const bounds = parts.map((part) => ({ before: lowerBound(part, pivot), through: upperBound(part, pivot) }));
    const before = bounds.reduce((sum, bound) => sum + bound.before, 0);
    const through = bounds.reduce((sum, bound) => sum + bound.through, 0);
    if (rank >= before && rank < through) return pivot;
    for (const [i, part] of parts.entries()) {
      if (rank < before) part.to = bounds[i]!.before;
      else part.from = bounds[i]!.through;
    }
  }
}

interface Part {
  values: Float64Array;
  from: number;
  to: number;
}

const lowerBound = (part: Part, pivot: number): number => firstIndex(part, (value) => value >= pivot);
const upperBound = (part: Part, pivot: number): number => firstIndex(part, (value) => value > pivot);

/** The first index of a part at which something holds that goes on holding; its end when it holds nowhere. */
function firstIndex({ values, from, to }: Part, holds: (value: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(values[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What samples took or cost, taken up a datapoint at a time: 8 bytes a datapoint and 8 a sample. */
export class Quantity {
  private allMeans: Float64Array;
  private added = 0;
  private readonly values = new OrderStatistics();
  private readonly sum = new Sum();
  private max: number | null = null;

  constructor(capacity: number) {
    this.allMeans = new Float64Array(capacity);
  }

  /** The mean of each datapoint's samples, NaN where it has none. */
  get means(): Float64Array {
    return this.allMeans.subarray(0, this.added);
  }

  /** The sum over all samples; `null` when no sample has one. */
  get total(): number | null {
    return this.values.count === 0 ? null : this.sum.value;
  }

  /** Adds the next datapoint. @param values of its samples, in the order of repeats; none: it is left out. */
  add(values: readonly number[]): void {
    let sum = 0;
    for (const value of values) {
      sum += value;
      this.sum.add(value);
      this.values.add(value);
      if (this.max === null || value > this.max) this.max = value;
    }
    this.allMeans = withRoom(this.allMeans, this.added);
    this.allMeans[this.added++] = values.length === 0 ? Number.NaN : sum / values.length;
  }

  statistics(): EvalStatistics['latency_ms'] {
    const { count } = this.values;
    const [p50 = null, p95 = null] = this.values.quantiles([0.5, 0.95]);
    return { count, mean: count === 0 ? null : this.sum.value / count, p50, p95, max: this.max };
  }
}
