import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { together, type WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import { AddSamples, type SampleChanges } from '../execution/add-samples.js';
import type { FinishedSample } from '../execution/sample-rows.js';
import { takeItem, takeSample } from '../execution/sample-sums.js';
import { sampleName } from '../running-items.js';
import { ReplacedSampleStore } from './replaced-sample.store.js';

/** Puts samples into external runs, where one may take the place of another. */
@Injectable()
export class PutSamples {
  constructor(
    private readonly samples: AddSamples,
    private readonly replaced: ReplacedSampleStore,
  ) {}

  /**
   * Puts finished samples into a locked run, whose progress never goes back: those that are replaced are out and in again before
   * others are counted, and nothing is told of them.
   * @param run the caller's copy, which is changed; its row is the caller's to write.
   * @param processed names of all samples of their datapoints that are processed; they grow.
   * @returns what is new, for {@link AddSamples.write}.
   */
  async execute(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    processed: Set<string>,
    finished: readonly FinishedSample[],
  ): Promise<SampleChanges> {
    const { again = [], fresh = [] } = Object.groupBy(finished, (sample) =>
      processed.has(sampleName(sample)) ? 'again' : 'fresh',
    );
    if (again.length > 0) {
      await this.takeOut(tx, scope, run, again);
      for (const sample of again) processed.delete(sampleName(sample));
      await this.samples.write(tx, scope, run, await this.samples.add(tx, scope, run, processed, again));
    }
    return this.samples.add(tx, scope, run, processed, fresh);
  }

  private async takeOut(tx: WriteTx, scope: Scope, run: EvalRunRow, again: readonly FinishedSample[]): Promise<void> {
    const ids = [...new Set(again.map(({ datapointId }) => datapointId))];
    const items = await this.replaced.items(tx, scope, run, ids);
    for (const item of items) takeItem(run, item);
    const names = new Set(again.map(sampleName));
    for (const sample of await this.replaced.samples(tx, scope, run, ids)) {
      if (names.has(sampleName(sample))) takeSample(run, sample);
    }
    await together(
      this.replaced.deleteItems(tx, scope, run, ids),
      run.repeats > 1 && this.replaced.deleteSamples(tx, scope, run, again),
    );
  }
}
