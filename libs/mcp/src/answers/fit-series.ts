import type { TimeSeriesAnswer } from '@spandrel/contract';
import { slim, tooSmall } from './slim.js';

/** Writes a time series: sums in total and by model, and as many of its newest buckets as fit. @throws Invalid */
export function fitSeries(buckets: TimeSeriesAnswer['buckets'], maxChars: number): string {
  const { total, models } = addUp(buckets);
  const write = (shownModels: number, shownBuckets: number): string =>
    JSON.stringify({
      total,
      models: models.slice(0, shownModels).map((model) => ({ ...(slim(model) as object), model: model.model })),
      ...(shownModels < models.length && { models_left_out: models.length - shownModels }),
      buckets: buckets.slice(buckets.length - shownBuckets).map(bucketItem),
      ...(shownBuckets < buckets.length && { buckets_left_out: buckets.length - shownBuckets }),
    });
  const shownModels = mostThatFit(models.length, (count) => write(count, 0).length <= maxChars);
  if (shownModels === undefined) throw tooSmall(write(0, 0).length);
  const shownBuckets = mostThatFit(buckets.length, (count) => write(shownModels, count).length <= maxChars);
  return write(shownModels, shownBuckets ?? 0);
}

/** The largest count from 0 that fits, where fewer fit as well; `undefined` when not even none does. */
function mostThatFit(count: number, fits: (count: number) => boolean): number | undefined {
  if (!fits(0)) return undefined;
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

type Bucket = TimeSeriesAnswer['buckets'][number];
type Sums = Pick<Bucket, 'span_count' | 'error_count' | 'tokens' | 'cost' | 'unpriced_count'>;

/** Costs are kept in trillionths of a dollar: a sum of doubles is off by less. */
const COST_DIGITS = 12;

const NOTHING: Sums = { span_count: 0, error_count: 0, tokens: 0, cost: 0, unpriced_count: 0 };

/** What all buckets of a series come to, and what each model does in all of them, the one with most spans first. */
function addUp(buckets: readonly Bucket[]): { total: Sums; models: ({ model: string | null } & Sums)[] } {
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

const bucketItem = ({ series: _series, ...bucket }: Bucket): object => bucket;
