import { timeSeriesSchema, TOP_MAX, type ScoreBucket, type TimeSeriesAnswer } from '@spandrel/contract';
import { z } from 'zod';
import { apiArguments, queryOf } from '../arguments/api-arguments.js';
import { defineTool } from './tool.js';
import { slim, tooSmall } from '../answers/slim.js';

const LEFT_OUT = ['provider', 'user_id', 'of', 'fill', 'split_by', 'top', 'percentiles', 'totals'];

export const getAnalytics = defineTool({
  name: 'get_analytics',
  title: 'Sums over time',
  description: `Sums of all spans that started from since on and before until (ISO 8601; of all time when left out): spans, errors (failed spans), tokens and cost in total, by model, and by minute, hour, day or week (UTC). With more than ${TOP_MAX} models those that cost most are listed; model null is all others and spans without a model. Where not all buckets fit, the newest are shown: choose a wider group_by or a shorter range. With score also what the scores of this name come to in each hour, day or week: how many, mean, least and greatest value, labels.`,
  operations: ['queryAnalytics'],
  arguments: () => ({
    ...apiArguments(timeSeriesSchema, LEFT_OUT),
    score: z.string().optional().describe('Name of scores.'),
  }),
  answer: async ({ score, ...args }, { api, maxChars }) => {
    const series = (await api.call({
      operation: 'queryAnalytics',
      body: { ...args, split_by: 'model', top: TOP_MAX, totals: true },
    })) as unknown as TimeSeriesAnswer;
    if (score === undefined) return fitSeries(series, maxChars);
    const { group_by: asked, ...range } = args as { group_by?: string };
    const grain = series.group_by ?? asked;
    // Sums of scores are kept by the hour.
    const query = queryOf({ ...range, name: score, group_by: grain === 'minute' ? 'hour' : grain });
    const scored = await api.call({ operation: 'getScoreSeries', query });
    return fitSeries(series, maxChars, (scored as unknown as { buckets: ScoreBucket[] }).buckets);
  },
});

/**
 * Writes a time series: sums in total and by model, and as many of the newest buckets as fit, those of scores first.
 * @throws Invalid where not even the sums fit.
 */
export function fitSeries({ buckets, totals }: TimeSeriesAnswer, maxChars: number, scores?: ScoreBucket[]): string {
  const { series = [], ...total } = totals!;
  const models = series.map(({ key, ...sums }) => ({ model: key, ...sums }));
  const write = (shownModels: number, shownBuckets: number, shownScores: number): string =>
    JSON.stringify({
      total,
      models: models.slice(0, shownModels).map((model) => ({ ...(slim(model) as object), model: model.model })),
      ...(shownModels < models.length && { models_left_out: models.length - shownModels }),
      ...(scores && { scores: newest(scores, shownScores).map(({ name: _name, ...bucket }) => slim(bucket)) }),
      ...(scores && shownScores < scores.length && { scores_left_out: scores.length - shownScores }),
      buckets: newest(buckets, shownBuckets).map(bucketItem),
      ...(shownBuckets < buckets.length && { buckets_left_out: buckets.length - shownBuckets }),
    });
  const shownModels = mostThatFit(models.length, (count) => write(count, 0, 0).length <= maxChars);
  if (shownModels === undefined) throw tooSmall(write(0, 0, 0).length);
  const shownScores = mostThatFit(scores?.length ?? 0, (count) => write(shownModels, 0, count).length <= maxChars) ?? 0;
  const shownBuckets = mostThatFit(
    buckets.length,
    (count) => write(shownModels, count, shownScores).length <= maxChars,
  );
  return write(shownModels, shownBuckets ?? 0, shownScores);
}

const newest = <Item>(items: readonly Item[], count: number): Item[] => items.slice(items.length - count);

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

const bucketItem = ({ series: _series, ...bucket }: TimeSeriesAnswer['buckets'][number]): object => bucket;
