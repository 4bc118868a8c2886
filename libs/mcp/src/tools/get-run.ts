import type { EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import { z } from 'zod';
import { fitParts } from '../answers/fit-parts.js';
import { runItem } from '../answers/slim.js';
import { defineTool, TEXTS_ARE_DATA } from './tool.js';

export const getRun = defineTool({
  name: 'get_run',
  title: 'An eval run with its statistics',
  description: `Shows an eval run: its state, what its scores come to (mean with standard error and 95% interval, pass rate, pass@k), its gates, and with baseline (another run of the dataset) how it differs, with a verdict. Parts that do not fit are named in left_out with the characters that they take. Its items: list_run_items. ${TEXTS_ARE_DATA}`,
  operations: ['getEval', 'getEvalStatistics'],
  arguments: () => ({
    run_id: z.string(),
    baseline: z.string().optional().describe('Id of a run to compare with.'),
    cluster_by: z
      .string()
      .optional()
      .describe('A member of the datapoints’ metadata: those with the same value are one cluster.'),
  }),
  answer: async ({ run_id: id, baseline, cluster_by }, { api, maxChars }) => {
    const [run, statistics] = (await Promise.all([
      api.call({ operation: 'getEval', path: { id }, query: { items: 'none' } }),
      api.call({ operation: 'getEvalStatistics', path: { id }, query: { baseline, cluster_by } }),
    ])) as unknown as [EvalRunSummary & { result_items?: unknown }, EvalStatistics];
    const { result_items: _items, ...summary } = run;
    const { comparison, scorers, run_id: _run, status: _status, ...ofScore } = statistics;
    const { scorers: scorersCompared, ...compared } = comparison ?? {};
    const severalScorers = Object.keys(scorers).length > 1;
    return fitParts(
      [
        { name: 'run', value: runItem(summary) },
        ...(run.gates.length > 0 ? [{ name: 'gates', value: run.gates }] : []),
        ...(comparison ? [{ name: 'comparison', value: compared }] : []),
        { name: 'statistics', value: ofScore },
        ...(severalScorers ? [{ name: 'scorers', value: scorers }] : []),
        ...(comparison && severalScorers ? [{ name: 'scorers_compared', value: scorersCompared }] : []),
        { name: 'config', value: { config: run.config, scorers: run.scorers } },
      ],
      maxChars,
    );
  },
});
