import { timeSeriesSchema, TOP_MAX, type TimeSeriesAnswer } from '@spandrel/contract';
import { apiArguments } from '../arguments/api-arguments.js';
import { defineTool } from './tool.js';
import { slim, tooSmall } from '../answers/slim.js';

export const getAnalytics = defineTool({
  name: 'get_analytics',
  title: 'Sums over time',
  description: `Sums of all spans that started from since on and before until (ISO 8601; of all time when left out): spans, errors (failed spans), tokens and cost in total, by model, and by minute, hour, day or week (UTC). With more than ${TOP_MAX} models those that cost most are listed; model null is all others and spans without a model. Where not all buckets fit, the newest are shown: choose a wider group_by or a shorter range.`,
  operations: ['queryAnalytics'],
  arguments: () =>
    apiArguments(timeSeriesSchema, ['provider', 'user_id', 'of', 'fill', 'split_by', 'top', 'percentiles', 'totals']),
  answer: async (args, { api, maxChars }) => {
    const series = (await api.call({
      operation: 'queryAnalytics',
      body: { ...args, split_by: 'model', top: TOP_MAX, totals: true },
    })) as unknown as TimeSeriesAnswer;
    return fitSeries(series, maxChars);
  },
});

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
