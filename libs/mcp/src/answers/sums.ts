import type { TimeSeriesAnswer } from '@spandrel/contract';

type Bucket = TimeSeriesAnswer['buckets'][number];
type Sums = Pick<Bucket, 'span_count' | 'error_count' | 'tokens' | 'cost' | 'unpriced_count'>;

/** Costs are kept in trillionths of a dollar: a sum of doubles is off by less. */
const COST_DIGITS = 12;

const NOTHING: Sums = { span_count: 0, error_count: 0, tokens: 0, cost: 0, unpriced_count: 0 };

/** What all buckets of a series come to, and what each model does in all of them, the one with most spans first. */
export function addUp(buckets: readonly Bucket[]): { total: Sums; models: ({ model: string | null } & Sums)[] } {
  const byModel = new Map<string | null, Sums>();
  let total = NOTHING;
  for (const bucket of buckets) {
    total = add(total, bucket);
    for (const { key, ...sums } of bucket.series ?? []) byModel.set(key, add(byModel.get(key) ?? NOTHING, sums));
  }
  const models = [...byModel].map(([model, sums]) => ({ model, ...sums }));
  return { total, models: models.toSorted((a, b) => b.span_count - a.span_count) };
}

function add(a: Sums, b: Sums): Sums {
  return {
    span_count: a.span_count + b.span_count,
    error_count: a.error_count + b.error_count,
    tokens: a.tokens + b.tokens,
    cost: addCosts(a, b),
    unpriced_count: a.unpriced_count + b.unpriced_count,
  };
}

/** A cost is `null` where unpriced spans are all there is. */
function addCosts(a: Sums, b: Sums): number | null {
  if (a.cost === null || b.cost === null) {
    const known = a.cost ?? b.cost;
    return known === 0 ? null : known;
  }
  return Number((a.cost + b.cost).toFixed(COST_DIGITS));
}

/** A bucket without its series. */
export const bucketItem = ({ series: _series, ...bucket }: Bucket): object => bucket;
