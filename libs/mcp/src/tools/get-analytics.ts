import { timeSeriesSchema, TOP_MAX, type TimeSeriesAnswer } from '@spandrel/contract';
import { fitSeries } from '../answers/fit-series.js';
import { apiArguments } from '../arguments/api-arguments.js';
import { defineTool } from './tool.js';

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
