import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { FinishedSample } from '../execution/sample-rows.js';
import { sampleName } from '../running-items.js';
import { SubmissionStore } from './submission.store.js';

/** Results of external runs that were waiting for the server's scorers, once these have said what they say. */
@Injectable()
export class WaitingResults {
  constructor(private readonly submissions: SubmissionStore) {}

  /**
   * Takes those that were scored out of the results that wait; the run is locked.
   * @param run the caller's copy, which is changed.
   * @returns the samples whose results still waited: another may have taken the place of one while it was scored.
   */
  async take(tx: WriteTx, scope: Scope, run: EvalRunRow, scored: readonly FinishedSample[]): Promise<FinishedSample[]> {
    if (scored.length === 0) return [];
    const ids = scored.map(({ datapointId }) => datapointId);
    const waiting = await this.submissions.hashedForWrite(tx, scope, run.id, ids);
    const hashes = new Map(waiting.map((sample) => [sampleName(sample), sample.resultHash]));
    const taken = scored.filter((sample) => {
      const name = sampleName(sample);
      // However often one is brought.
      return hashes.get(name) === sample.result.resultHash && hashes.delete(name);
    });
    await this.submissions.delete(tx, scope, run.id, taken);
    run.unscored -= taken.length;
    return taken;
  }
}
