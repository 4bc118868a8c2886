import type { EvalRunSummary, EvalStatistics, GroupStatistics } from '@spandrel/contract';
import { shownGroup } from '@spandrel/contract/browser';
import { z } from 'zod';
import { fitParts } from '../answers/fit.js';
import { runItem } from '../answers/slim.js';
import { defineTool, TEXTS_ARE_DATA } from './tool.js';

export const getRun = defineTool({
  name: 'get_run',
  title: 'An eval run with its statistics',
  description: `Shows an eval run: its state, what its scores come to (mean with standard error and 95% interval, pass rate, pass@k), its gates, and with baseline (another run of the dataset) how it differs, with a verdict. With group_by groups of datapoints have numbers of their own. Parts that do not fit are named in left_out with the characters that they take. Its items: list_run_items. ${TEXTS_ARE_DATA}`,
  operations: ['getEval', 'getEvalStatistics'],
  arguments: () => ({
    run_id: z.string(),
    baseline: z.string().optional().describe('Id of a run to compare with.'),
    cluster_by: z
      .string()
      .optional()
      .describe('A member of the datapoints’ metadata: those with the same value are one cluster.'),
    group_by: z
      .array(z.string())
      .optional()
      .describe(
        'Up to four members of the datapoints’ metadata: those with the same values are a group. p_holm is corrected for all groups, verdicts go by it.',
      ),
  }),
  answer: async ({ run_id: id, baseline, cluster_by, group_by }, { api, maxChars }) => {
    const [run, statistics] = (await Promise.all([
      api.call({ operation: 'getEval', path: { id }, query: { items: 'none' } }),
      api.call({ operation: 'getEvalStatistics', path: { id }, query: { baseline, cluster_by, group_by } }),
    ])) as unknown as [EvalRunSummary & { result_items?: unknown }, EvalStatistics];
    const { result_items: _items, ...summary } = run;
    const { comparison, scorers, groups, correction, run_id: _run, status: _status, ...ofScore } = statistics;
    const { scorers: scorersCompared, ...compared } = comparison ?? {};
    const severalScorers = Object.keys(scorers).length > 1;
    return fitParts(
      [
        { name: 'run', value: runItem(summary) },
        ...(run.gates.length > 0 ? [{ name: 'gates', value: run.gates }] : []),
        ...(comparison ? [{ name: 'comparison', value: compared }] : []),
        ...(groups ? [{ name: 'groups', value: groups.map(groupRow) }] : []),
        ...(correction ? [{ name: 'correction', value: correction }] : []),
        { name: 'statistics', value: ofScore },
        ...(severalScorers ? [{ name: 'scorers', value: scorers }] : []),
        ...(comparison && severalScorers ? [{ name: 'scorers_compared', value: scorersCompared }] : []),
        { name: 'config', value: { config: run.config, scorers: run.scorers } },
      ],
      maxChars,
    );
  },
});

/** A group with what a table of groups shows, by the score that stands for it. */
function groupRow(row: GroupStatistics) {
  const { group, of, compared } = shownGroup(row);
  const { diff, ci, p_value, p_holm, verdict } = compared ?? {};
  return {
    ...{ group, n: of.datapoints, mean: of.mean, ci: of.ci, pass_rate: of.pass_rate.mean },
    failed_samples: row.failed_samples,
    ...(compared && { comparison: { diff, ci, p_value, p_holm, verdict } }),
  };
}
