import { Injectable } from '@nestjs/common';
import { isStorableText } from '@spandrel/contract';
import { DatasetStore, datasetNotFound } from '@spandrel/datasets';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import type { EvalRunRow } from './eval-run.entity.js';
import { EvalRunStore } from './eval-run.store.js';
import { evalRunNotFound } from './not-found.js';

/** Runs that are to be compared (docs/spec/comparison.md#which-runs). */
@Injectable()
export class ComparedRuns {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly runs: EvalRunStore,
  ) {}

  /**
   * @returns the runs in the order of their ids as given.
   * @throws NotFound for the dataset or a run; Invalid when a run is of another dataset.
   */
  async find(scope: Scope, datasetId: string, runIds: readonly string[]): Promise<EvalRunRow[]> {
    if (!(await this.datasets.find(scope, datasetId))) throw datasetNotFound();
    const found = await this.runs.findAll(scope, runIds.filter(isStorableText));
    const runs = runIds.map((id) => {
      const run = found.find((candidate) => candidate.id === id);
      if (!run) throw evalRunNotFound();
      return run;
    });
    if (runs.some((run) => run.datasetId !== datasetId)) {
      throw invalidRequest([{ path: 'runs', message: 'must be runs of this dataset' }]);
    }
    return runs;
  }
}

/** The distinct versions of the dataset that runs are of, in their order. */
export const versionsOf = (runs: readonly EvalRunRow[]): number[] => [
  ...new Set(runs.map(({ datasetVersion }) => datasetVersion)),
];
