import { Injectable } from '@nestjs/common';
import { DatasetSnapshots } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { fromJsonText, shapeOf, sql, Storage, text } from '@spandrel/storage';
import type { SampleKey } from '../eval-item.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { RUN_STATUS } from '../eval-run.js';
import { EvalRunStore } from '../eval-run.store.js';
import type { PreparedScorer } from './score-sample.js';

const ANSWER = shapeOf({ output: text() });

/** Finds what the baseline of a run answered; `undefined`: it has no answer to the datapoint as the run sees it. */
export type FindBaseline = (sample: SampleKey) => Promise<string | undefined>;

/** What another run answered, for scorers that compare (docs/spec/evaluations.md#preference). */
@Injectable()
export class BaselineAnswers {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /** Opens the answers for a run; of one whose scorers compare with nothing, and whose baseline is gone, there are none. */
  async open(scope: Scope, run: EvalRunRow, scorers: readonly Pick<PreparedScorer, 'scorer'>[]): Promise<FindBaseline> {
    const isNeeded = scorers.some(({ scorer }) => scorer.needsBaseline);
    const baseline = isNeeded && run.baselineRunId !== null ? await this.runs.find(scope, run.baselineRunId) : null;
    if (!baseline) return async () => undefined;
    const isUnfinished = baseline.status < RUN_STATUS.completed;
    const versions = [run.datasetVersion, baseline.datasetVersion] as const;
    const changed = await this.snapshots.changed(scope, run.datasetId, versions);
    return async ({ datapointId, repeat }) => {
      if (changed.has(datapointId)) return undefined;
      const key = sql`s.project_id = ${run.projectId} and s.run_id = ${baseline.id} and s.datapoint_id = ${datapointId}`;
      const inRepeat = sql`s.repeat = ${repeat % baseline.repeats}`;
      // Answers that wait for scorers of the baseline are looked at first: they go to the others.
      const [waiting] = isUnfinished
        ? await this.storage.readLong(
            ANSWER.query`select s.result as output from eval_submission s where ${key} and ${inRepeat}`,
          )
        : [];
      if (waiting) return (fromJsonText(waiting.output) as { output: string | null }).output ?? undefined;
      const [answer] = await this.storage.readLong(
        baseline.repeats === 1
          ? ANSWER.query`select s.output from eval_result s where ${key} and s.output is not null`
          : ANSWER.query`select s.output from eval_sample s
              where ${key} and ${inRepeat} and s.output is not null`,
      );
      return answer && (fromJsonText(answer.output) as string);
    };
  }
}
