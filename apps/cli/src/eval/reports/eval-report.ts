import type { EvalItem, EvalRunSummary } from '@spandrel/contract';
import type { Api } from '@spandrel/sdk';
import type { ExitCode } from '../../client/exit-codes.js';
import { judgeRun, type Judgement, type JudgedBy } from '../judge-run.js';

export interface EvalReport extends Judgement {
  /** The file that the run came from, for `eval file`. */
  file?: string;
  dataset: { id: string; name: string };
  run: EvalRunSummary;
  /** The items in the order of the dataset, with their samples. */
  items: readonly EvalItem[];
  /** The page of the run in the dashboard. */
  url: string;
}

export interface EvalFault {
  file: string;
  fault: string;
  exitCode: ExitCode;
}

const PAGE = 200;

/** What a report needs of a run. @param serverUrl where its dashboard is. */
export async function makeReport(api: Api, run: EvalRunSummary, by: JudgedBy, serverUrl: string): Promise<EvalReport> {
  const judgement = await judgeRun(api, run, by);
  // A run that was asked for without its items has an empty list of them.
  const { result_items: _items, ...summary } = run as EvalRunSummary & { result_items?: unknown };
  const { id, name } = await api.getDataset({ path: { id: run.dataset_id } });
  const items: EvalItem[] = [];
  const query = { include: 'samples', limit: PAGE };
  for await (const item of api.pages('listEvalItems', { path: { id: run.id }, query })) items.push(item as EvalItem);
  return {
    dataset: { id, name },
    run: summary,
    ...judgement,
    items,
    url: `${serverUrl}/evaluations/${encodeURIComponent(run.id)}`,
  };
}
