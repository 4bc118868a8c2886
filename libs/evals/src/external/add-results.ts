import { Inject, Injectable } from '@nestjs/common';
import type { AddedResults, AddResults as AddResultsBody } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import type { LongReadOptions } from '@spandrel/storage';
import { PRICING, type PricingTable } from '@spandrel/tracing';
import { EvalRunStore } from '../eval-run.store.js';
import { scorersOf } from '../run-plan.js';
import { runConfig } from '../run-resource.js';
import { readResults } from './given-result.js';
import { RecordResults } from './record-results.js';
import { maskTaken, takenResult, type Taken } from './taken-result.js';
import { assertTakesResults } from './takes-results.js';

/** `POST /api/eval/:run_id/results` (docs/spec/external-runs.md#results). */
@Injectable()
export class AddResults {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly record: RecordResults,
    private readonly masking: ProjectMasking,
    @Inject(PRICING) private readonly pricing: PricingTable,
  ) {}

  /**
   * Keeps results, each on its own, and has those scored that scorers of the server are to look at.
   * @returns once they are durable.
   * @throws NotFound; Conflict for a run of the server; Invalid for one that is over.
   */
  async execute(
    scope: Scope,
    runId: string,
    { results, on_conflict: onConflict }: AddResultsBody,
    options: LongReadOptions,
  ): Promise<AddedResults> {
    const run = await this.runs.find(scope, runId);
    assertTakesResults(run);
    const { given, rejected } = readResults({ repeats: run.repeats, scorers: scorersOf(run) }, results);
    const ids = [...new Set(given.map(({ datapointId }) => datapointId))];
    const snapshot = { datasetId: run.datasetId, version: run.datasetVersion };
    const present = ids.length > 0 ? await this.snapshots.present(scope, snapshot, ids, options) : new Set<string>();
    const masking = await this.masking.of(scope);
    const { model } = runConfig(run);
    const taken: Taken[] = [];
    for (const result of given) {
      if (present.has(result.datapointId)) {
        const { index, datapointId, repeat, hash } = result;
        const whole = takenResult(result, model, this.pricing);
        const kept = masking ? await masking.run((calls) => maskTaken(calls, whole)) : whole;
        taken.push({ index, datapointId, repeat, hash, taken: kept });
      } else {
        rejected.push({ index: result.index, code: 'datapoint_not_found', message: NOT_OF_RUN });
      }
    }
    if (taken.length > 0) rejected.push(...(await this.record.execute(scope, runId, taken, onConflict === 'replace')));
    return {
      accepted: results.length - rejected.length,
      rejected: rejected.toSorted((a, b) => a.index - b.index),
    };
  }
}

const NOT_OF_RUN = 'the run has no datapoint with this id; GET …/items lists those it has';
