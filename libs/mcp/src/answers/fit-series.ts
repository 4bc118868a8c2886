import type { TimeSeriesAnswer } from '@spandrel/contract';
import { slim, tooSmall } from './slim.js';
import { addUp, bucketItem } from './sums.js';

/**
 * Writes a time series: its sums in total and by model, and as many of its newest buckets as fit.
 * @returns compact JSON of `maxChars` UTF-16 units at most.
 * @throws Invalid when not even the total fits.
 */
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
