import { OrderStatistics } from './order-statistics.js';
import { Sum } from './sum.js';

/** A quantity over the samples that have it, as the wire has it; `null` without any. */
export interface QuantityStatistics {
  count: number;
  mean: number | null;
  p50: number | null;
  p95: number | null;
  max: number | null;
}

/** What samples took or cost, taken up a datapoint at a time: 8 bytes a datapoint and 8 a sample. */
export class Quantity {
  private readonly allMeans: Float64Array;
  private added = 0;
  private readonly values = new OrderStatistics();
  private readonly sum = new Sum();
  private max: number | null = null;

  /** @param capacity datapoints at most. */
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
    this.allMeans[this.added++] = values.length === 0 ? Number.NaN : sum / values.length;
  }

  statistics(): QuantityStatistics {
    const { count } = this.values;
    const [p50 = null, p95 = null] = this.values.quantiles([0.5, 0.95]);
    return { count, mean: count === 0 ? null : this.sum.value / count, p50, p95, max: this.max };
  }
}
