import { Injectable } from '@nestjs/common';
import { isStorableText, type EvalFilter, type FieldError } from '@spandrel/contract';
import { ChooseDatapoints, DatasetSnapshots, DatasetStore, type Snapshot } from '@spandrel/datasets';
import { Invalid, invalidRequest, type Scope } from '@spandrel/kernel';

export interface MissingExpected {
  /** Datapoints without an expected value. */
  count: number;
  total: number;
}

/** The datapoints that a run is to take. */
export interface Choice {
  /** `null`: all of the dataset. */
  ids: readonly string[] | null;
  /** The version of the dataset that they are of. */
  version: number;
  missing: MissingExpected;
}

const FAULTS_MAX = 100;

/** Chooses the datapoints of a run, and says what they lack (docs/spec/evaluations.md#a-part-of-the-dataset). */
@Injectable()
export class ChooseForRun {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly choices: ChooseDatapoints,
  ) {}

  /**
   * @param filter one without conditions takes all. @param expecting names of the scorers that need an expected value.
   * @throws NotFound for the dataset; Invalid for ids that it does not have, `nothing_to_evaluate` where the filter takes none.
   */
  async execute(scope: Scope, datasetId: string, filter: EvalFilter, expecting: readonly string[]): Promise<Choice> {
    const { version } = await this.datasets.get(scope, datasetId);
    const snapshot = { datasetId, version };
    if (Object.values(filter).every((condition) => condition === undefined)) {
      return { ids: null, version, missing: await this.countMissing(scope, snapshot, expecting) };
    }
    if (filter.ids) await this.assertPresent(scope, snapshot, filter.ids);
    const ids = await this.choices.execute(scope, snapshot, filter);
    if (ids.length === 0) {
      throw new Invalid(
        'nothing_to_evaluate',
        'the filter takes no datapoint of the dataset, so there is nothing to run',
      );
    }
    return { ids, version, missing: await this.countMissing(scope, snapshot, expecting, ids) };
  }

  /** @param ids of the datapoints that are looked at; all of the snapshot when left out. */
  async countMissing(
    scope: Scope,
    snapshot: Snapshot,
    expecting: readonly string[],
    ids?: readonly string[],
  ): Promise<MissingExpected> {
    return expecting.length === 0 ? { count: 0, total: 0 } : this.snapshots.countWithoutExpected(scope, snapshot, ids);
  }

  private async assertPresent(scope: Scope, snapshot: Snapshot, ids: readonly string[]): Promise<void> {
    const present = await this.snapshots.present(scope, snapshot, ids.filter(isStorableText), {});
    const faults = ids.flatMap((id, index): FieldError[] =>
      present.has(id)
        ? []
        : [{ path: `filter.ids[${index}]`, message: 'is not the id of a datapoint of this dataset' }],
    );
    if (faults.length > 0) throw invalidRequest(faults.slice(0, FAULTS_MAX));
  }
}
