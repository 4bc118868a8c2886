import type { EvalItem, EvalRunSummary } from '@spandrel/contract';
import type { Api } from '@spandrel/sdk';
import { judgeRun, type JudgedBy } from '../judge/judge-run.js';
import type { EvalReport } from './eval-report.js';

const PAGE = 200;

/** What a report needs of a run. @param serverUrl where its dashboard is. */
export async function makeReport(api: Api, run: EvalRunSummary, by: JudgedBy, serverUrl: string): Promise<EvalReport> {
  const judgement = await judgeRun(api, run, by);
  const { id, name } = await api.getDataset({ path: { id: run.dataset_id } });
  const items: EvalItem[] = [];
  const query = { include: 'samples', limit: PAGE };
  for await (const item of api.pages('listEvalItems', { path: { id: run.id }, query })) items.push(item as EvalItem);
  return {
    dataset: { id, name },
    run: withoutItems(run),
    ...judgement,
    items,
    url: `${serverUrl}/evaluations/${encodeURIComponent(run.id)}`,
  };
}

/** A run that was asked for without its items has an empty list of them. */
function withoutItems(run: EvalRunSummary & { result_items?: unknown }): EvalRunSummary {
  const { result_items: _items, ...summary } = run;
  return summary;
}
