import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { jsonTextInPieces, type EvalComparison } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import { itemTexts, streamSlices } from '@spandrel/http';
import { inTurns, type Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { ComparedRuns, versionsOf } from './compared-runs.js';
import { expectedText, inputAndExpected } from './datapoint-facts.js';
import { EvalResultStore } from './eval-result.store.js';
import type { EvalResultRow, EvalRunRow } from './eval-run.entity.js';
import { averageScore, textOf, totalCost } from './run-resource.js';

/** Datapoints compared in one go. */
const SLICE = 200;

type ComparedDatapoint = EvalComparison['comparisons'][number];

/** `GET /api/datasets/:id/compare`: runs of one dataset side by side (docs/spec/comparison.md). */
@Injectable()
export class CompareRuns {
  constructor(
    private readonly compared: ComparedRuns,
    private readonly results: EvalResultStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /**
   * @param runIds one to four, in the order of the answer.
   * @returns the JSON of the comparison, written slice by slice.
   * @throws NotFound for the dataset or a run; Invalid when a run is of another dataset.
   */
  async execute(
    scope: Scope,
    datasetId: string,
    runIds: readonly string[],
    options: LongReadOptions = {},
  ): Promise<Readable> {
    const runs = await this.compared.find(scope, datasetId, runIds);
    const shown: EvalComparison['runs'] = runs.map((run) => ({
      id: run.id,
      name: run.name,
      avg_score: averageScore(run),
      total_cost: totalCost(run),
      unpriced_count: run.unpricedCount,
    }));
    return streamSlices(this.slices(scope, runs, options), {
      head: `{"dataset_id":${JSON.stringify(datasetId)},"runs":${JSON.stringify(shown)},"comparisons":[`,
      between: ',',
      tail: () => ']}',
    });
  }

  private async *slices(
    scope: Scope,
    runs: readonly EvalRunRow[],
    options: LongReadOptions,
  ): AsyncGenerator<Iterable<string>> {
    for (let after: string | undefined; ;) {
      const datapoints = await this.slice(scope, runs, after, options);
      const last = datapoints.at(-1);
      if (!last) return;
      const texts: string[] = [];
      for (const datapoint of datapoints) texts.push(await inTurns(jsonTextInPieces(datapoint)));
      yield itemTexts(texts, (index) => (index === 0 ? '' : ','));
      after = last.datapoint_id;
    }
  }

  private async slice(
    scope: Scope,
    runs: readonly EvalRunRow[],
    afterId: string | undefined,
    options: LongReadOptions,
  ): Promise<ComparedDatapoint[]> {
    const [{ datasetId } = { datasetId: '' }] = runs;
    const versions = versionsOf(runs);
    let ids = await this.snapshots.idsOfAny(
      scope,
      datasetId,
      versions,
      { afterId, order: 'asc', limit: SLICE },
      options,
    );
    if (ids.length === 0) return [];
    const resultsOf = new Map<string, Map<string, EvalResultRow>>();
    for (const { id } of runs) {
      const { results, read } = await this.results.some(scope, id, ids, options);
      resultsOf.set(id, results);
      ids = ids.slice(0, read);
    }
    const datapoints = await this.datapoints(scope, datasetId, versions, ids, options);
    return datapoints.map((datapoint) => ({
      ...datapoint,
      results: runs.map(({ id }) => comparedResult(id, resultsOf.get(id)?.get(datapoint.datapoint_id))),
    }));
  }

  /**
   * Datapoints as the first of the versions that has each knows it, in order; the first of them when they are large.
   */
  private async datapoints(
    scope: Scope,
    datasetId: string,
    versions: readonly number[],
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<Omit<ComparedDatapoint, 'results'>[]> {
    const found = new Map<string, Omit<ComparedDatapoint, 'results'>>();
    let wanted = ids;
    for (const version of versions) {
      const missing = wanted.filter((id) => !found.has(id));
      if (missing.length === 0) break;
      const { datapoints, through } = await this.snapshots.among(scope, { datasetId, version }, missing, options);
      for (const { id, kind } of datapoints) {
        const { input, expected } = inputAndExpected(kind);
        found.set(id, { datapoint_id: id, input, expected: expectedText(expected) });
      }
      if (through !== undefined) wanted = wanted.filter((id) => id <= through);
    }
    // One that is missing still went with its dataset.
    return wanted.flatMap((id) => found.get(id) ?? []);
  }
}

const comparedResult = (runId: string, result: EvalResultRow | undefined): ComparedDatapoint['results'][number] => ({
  run_id: runId,
  output: textOf(result?.output ?? null),
  score: result?.score ?? null,
  latency_ms: result?.latencyMs ?? null,
  trace_id: result?.traceId ?? null,
});
