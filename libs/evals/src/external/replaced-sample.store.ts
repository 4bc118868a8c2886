import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { anyOf, sql, type RowOfShape, type WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { SampleKey } from '../running-items.js';
import { evalResultTable, evalSampleTable } from '../tables.js';

const KNOWN = [
  ...(['datapointId', 'status', 'score', 'tokens', 'cost'] as const),
  ...(['judgeTokens', 'judgeCost', 'resultHash'] as const),
];
const ITEM = evalResultTable.select('e', KNOWN);
const SAMPLE = evalSampleTable.select('s', [...KNOWN, 'repeat']);

/** What an item adds to the sums of its run. */
export type KnownItem = RowOfShape<typeof ITEM>;
/** A processed sample: what it adds to the sums of its run, and which result it is. */
export type KnownSample = RowOfShape<typeof SAMPLE>;

type Run = Pick<EvalRunRow, 'id' | 'repeats'>;

/** Processed samples of external runs, as those that may take their place need them; the run is locked. */
@Injectable()
export class ReplacedSampleStore {
  items(tx: WriteTx, { projectId }: Scope, run: Run, datapointIds: readonly string[]): Promise<KnownItem[]> {
    return tx.all(
      ITEM.query`select ${ITEM} from eval_result e
        where e.project_id = ${projectId} and e.run_id = ${run.id} and ${anyOf('e.datapoint_id', datapointIds)}`,
    );
  }

  /** The processed samples of some datapoints; where each is tried once, these are the items. */
  async samples(tx: WriteTx, scope: Scope, run: Run, datapointIds: readonly string[]): Promise<KnownSample[]> {
    if (run.repeats === 1) {
      return (await this.items(tx, scope, run, datapointIds)).map((item) => ({ ...item, repeat: 0 }));
    }
    return tx.all(
      SAMPLE.query`select ${SAMPLE} from eval_sample s
        where s.project_id = ${scope.projectId} and s.run_id = ${run.id} and ${anyOf('s.datapoint_id', datapointIds)}`,
    );
  }

  async deleteItems(tx: WriteTx, { projectId }: Scope, run: Run, datapointIds: readonly string[]): Promise<void> {
    await tx.run(
      sql`delete from eval_result
        where project_id = ${projectId} and run_id = ${run.id} and ${anyOf('datapoint_id', datapointIds)}`,
    );
  }

  async deleteSamples(tx: WriteTx, { projectId }: Scope, run: Run, samples: readonly SampleKey[]): Promise<void> {
    for (const [repeat, ofRepeat] of Map.groupBy(samples, (sample) => sample.repeat)) {
      const ids = ofRepeat.map(({ datapointId }) => datapointId);
      await tx.run(
        sql`delete from eval_sample where project_id = ${projectId} and run_id = ${run.id} and repeat = ${repeat}
          and ${anyOf('datapoint_id', ids)}`,
      );
    }
  }
}
