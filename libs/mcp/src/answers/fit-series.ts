import type { TimeSeriesAnswer } from '@spandrel/contract';
import { slim, tooSmall } from './slim.js';

/** Writes a time series: sums in total and by model, and as many of its newest buckets as fit. @throws Invalid */
export function fitSeries({ buckets, totals }: TimeSeriesAnswer, maxChars: number): string {
  const { series = [], ...total } = totals!;
  const models = series.map(({ key, ...sums }) => ({ model: key, ...sums }));
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

const bucketItem = ({ series: _series, ...bucket }: Bucket): object => bucket;
