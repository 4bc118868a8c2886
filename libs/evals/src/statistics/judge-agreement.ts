import { Injectable } from '@nestjs/common';
import type { JudgeAgreementOfRun, JudgeAgreementQuery } from '@spandrel/contract';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import { ReviewStore } from '@spandrel/queue';
import { decidePass, readPassRule } from '../eval-item.js';
import { listScorers } from '../eval-run.js';
import { EvalRunStore } from '../eval-run.store.js';
import { wilsonInterval } from './distributions.js';
import { toMeasures } from './measure-run.js';
import { SampleScoresStore } from './sample-scores.store.js';

/** How often a run and reviewers passed and failed the same datapoints. */
type Confusion = JudgeAgreementOfRun['confusion'];

/** Compares what a run passes and fails with what the reviewers of its datapoints say (docs/spec/queue.md#judge-agreement). */
@Injectable()
export class JudgeAgreement {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly samples: SampleScoresStore,
    private readonly reviews: ReviewStore,
  ) {}

  /** @throws NotFound `eval_run_not_found`, Invalid for a scorer that the run has not, or a name that is not clear. */
  async execute(scope: Scope, runId: string, { name, scorer }: JudgeAgreementQuery): Promise<JudgeAgreementOfRun> {
    const run = await this.runs.get(scope, runId);
    const scorers = listScorers(run);
    const names = scorers.map((each) => each.name);
    const at = scorer === undefined ? -1 : names.indexOf(scorer);
    if (scorer !== undefined && at === -1) throw fault('scorer', `must be one of ${names.join(', ')}`);
    const rule = at === -1 ? readPassRule(run) : [{ at, passScore: scorers[at]!.pass_score }];

    const reviewed = await this.reviews.verdicts(scope, run.datasetId);
    if (name === undefined && reviewed.size > 1) {
      throw fault('name', `is needed: reviewers answered ${[...reviewed.keys()].toSorted().join(', ')}`);
    }
    const [chosen = null] = name === undefined ? reviewed.keys() : [name];
    const people = reviewed.get(chosen ?? '') ?? new Map<string, boolean>();
    // How many more samples of a datapoint passed than failed.
    const balances = new Map<string, number>();
    for await (const rows of people.size > 0 ? this.samples.slices(scope, run) : []) {
      for (const row of rows) {
        if (!people.has(row.datapointId)) continue;
        const { failed, score, scores } = toMeasures(row, names);
        const passed = failed ? null : decidePass(rule, (place) => (place === null ? score : (scores[place] ?? null)));
        if (passed === null) continue;
        balances.set(row.datapointId, (balances.get(row.datapointId) ?? 0) + (passed ? 1 : -1));
      }
    }
    const confusion: Confusion = { true_pass: 0, false_pass: 0, false_fail: 0, true_fail: 0 };
    for (const [id, balance] of balances) {
      if (balance !== 0) confusion[`${balance > 0 === people.get(id)}_${balance > 0 ? 'pass' : 'fail'}`]++;
    }
    return { name: chosen, scorer: scorer ?? null, ...measureConfusion(confusion) };
  }
}

/** Percent agreement, Cohen's kappa (`null` where no disagreement was to be expected) and the rates with Wilson's intervals. */
export function measureConfusion(confusion: Confusion): Omit<JudgeAgreementOfRun, 'name' | 'scorer'> {
  const { true_pass: tp, false_pass: fp, false_fail: ff, true_fail: tf } = confusion;
  const units = tp + fp + ff + tf;
  const observed = units === 0 ? null : (tp + tf) / units;
  const expected = ((tp + fp) * (tp + ff) + (ff + tf) * (fp + tf)) / units ** 2;
  return {
    units,
    percent_agreement: observed,
    cohen_kappa: observed === null || expected === 1 ? null : (observed - expected) / (1 - expected),
    true_pass_rate: rateOf(tp, tp + ff),
    true_fail_rate: rateOf(tf, tf + fp),
    confusion,
  };
}

function rateOf(hits: number, count: number): JudgeAgreementOfRun['true_pass_rate'] {
  if (count === 0) return null;
  const { low, high, level } = wilsonInterval(hits / count, count);
  return { rate: hits / count, ci: { low, high, level } };
}

const fault = (path: string, message: string) => invalidRequest([{ path, message }]);
