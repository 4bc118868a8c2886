import { Injectable } from '@nestjs/common';
import type { JudgedGate } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore } from '../eval-run.store.js';
import { gatesOf } from '../run-plan.js';
import { judgeGate, ksOfGates } from './gates.js';
import type { ScoreStatistics } from './score-statistics.js';
import { DEFAULT_QUESTION, MeasureRun } from './measure-run.js';

/** What a run is said to be worth. */
export interface Judgement {
  gates: JudgedGate[];
  /** The mean score and how far it may be off. */
  score: Pick<ScoreStatistics, 'se' | 'ci'>;
}

/** Puts its gates to a run, by the statistics that a question without parameters gets (docs/spec/eval-gates.md). */
@Injectable()
export class JudgeRun {
  constructor(
    private readonly measures: MeasureRun,
    private readonly runs: EvalRunStore,
  ) {}

  /** @param gates those of the run, or others that it is to have. A baseline that is gone leaves them without a value. */
  async execute(scope: Scope, run: EvalRunRow, gates: readonly JudgedGate[] = gatesOf(run)): Promise<Judgement> {
    const ids = new Set(gates.flatMap(({ baseline_run_id: id }) => id ?? []));
    const baselines = ids.size === 0 ? [] : await this.runs.findAll(scope, [...ids]);
    const { statistics, comparisons } = await this.measures.execute(scope, run, {
      ...DEFAULT_QUESTION,
      ks: ksOfGates(gates),
      baselines: baselines.filter(({ datasetId }) => datasetId === run.datasetId),
    });
    return {
      gates: gates.map((gate) => judgeGate(gate, statistics, comparisons)),
      score: { se: statistics.score.se, ci: statistics.score.ci },
    };
  }
}
