import type { AddedResults, EvalItemList, EvalRunResource } from '@spandrel/contract';
import type { Answer } from '../support/api.ts';
import type { EvalsLab } from './evals-lab.ts';

/** A run that this test executes itself, and the datapoints that it has. */
export interface ExternalRun {
  id: string;
  datapointIds: string[];
}

/** What callers of external runs do with a lab. */
export class ExternalLab {
  constructor(private readonly lab: EvalsLab) {}

  /** Starts an external run over a dataset of these inputs, scored by its caller unless the body says otherwise. */
  async start(inputs: string[], body: object = {}): Promise<ExternalRun> {
    const kinds = inputs.map((input) => ({ Generic: { input, expected_output: `${input}!` } }));
    const { id: datasetId, datapointIds } = await this.lab.dataset(...kinds);
    const whole = {
      name: 'external',
      execution: 'external',
      ...('scorers' in body ? {} : { scoring: 'External' }),
      ...body,
    };
    const { status, body: run } = await this.lab.api.post<EvalRunResource>(`/api/datasets/${datasetId}/eval`, whole);
    if (status !== 201) throw new Error(`not started: ${JSON.stringify(run)}`);
    return { id: run.id, datapointIds };
  }

  add<Body = AddedResults>(runId: string, results: unknown[], onConflict?: string): Promise<Answer<Body>> {
    return this.lab.api.post<Body>(`/api/eval/${runId}/results`, { results, on_conflict: onConflict });
  }

  complete = <Body = EvalRunResource>(runId: string): Promise<Answer<Body>> =>
    this.lab.api.post<Body>(`/api/eval/${runId}/complete`);

  items = async (runId: string, query: string): Promise<EvalItemList['items']> =>
    (await this.lab.api.get<EvalItemList>(`/api/eval/${runId}/items?${query}`)).body.items;
}
