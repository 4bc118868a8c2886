import type { ClientCall } from '../../client/client-command.js';
import type { ExitCode } from '../../client/exit-codes.js';
import { gatesAgainst, readJudging, type JudgingOptions } from '../options/judging-options.js';
import { readReports, type ReportOptions } from '../options/report-option.js';
import { prepareReports } from '../reports/write-reports.js';
import { finishRun } from './finish-run.js';
import { baselineFor, watched } from './run-eval.js';

export type CheckEvalOptions = JudgingOptions & ReportOptions;

/**
 * `spandrel eval check`: waits for the end of a run and judges it, by gates that take the place of its own where some are
 * given. An interrupt leaves the run alone: somebody else began it.
 */
export async function checkEval(call: ClientCall<CheckEvalOptions>, runId: string): Promise<ExitCode> {
  const { api, options } = call;
  const judging = readJudging(options);
  const reports = readReports(options);
  prepareReports(reports);
  const { dataset_id: datasetId, name } = await api.getEval({ path: { id: runId }, query: { items: 'none' } });
  const dataset = await api.getDataset({ path: { id: datasetId } });
  const baselineRunId = await baselineFor(call, judging, dataset, runId);
  let run = await watched(call, { id: runId, name });
  if (judging.gates.length > 0) {
    const gates = gatesAgainst(judging.gates, baselineRunId);
    run = await api.setEvalGates({ path: { id: runId }, body: { gates } });
  }
  return finishRun(call, run, { baselineRunId, ...judging }, reports);
}
