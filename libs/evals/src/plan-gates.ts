import { Injectable } from '@nestjs/common';
import { isBaselineMetric, type FieldError, type Gate, type JudgedGate, type RunScorer } from '@spandrel/contract';
import { invalidRequest, NotFound, type Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { EvalRunStore } from './eval-run.store.js';

/** Gates that a run is to have. */
export interface WantedGates {
  datasetId: string;
  repeats: number;
  scorers: readonly RunScorer[];
  gates: readonly Gate[];
}

/** Checks gates against the run that is to have them (docs/spec/eval-gates.md). */
@Injectable()
export class PlanGates {
  constructor(private readonly runs: EvalRunStore) {}

  /**
   * @returns the gates as a run shows them before they are judged.
   * @throws Invalid with all faults; NotFound for a baseline.
   */
  async execute(tx: WriteTx, scope: Scope, { datasetId, repeats, scorers, gates }: WantedGates): Promise<JudgedGate[]> {
    const names = new Set(scorers.map(({ name }) => name));
    const faults: FieldError[] = [];
    for (const [index, { scorer, k }] of gates.entries()) {
      if ((scorer ?? null) !== null && !names.has(scorer!)) {
        faults.push({
          path: `gates.${index}.scorer`,
          message: `must be the name of a scorer of the run: ${[...names].join(', ')}`,
        });
      }
      if ((k ?? 1) > repeats) {
        faults.push({ path: `gates.${index}.k`, message: `must be at most ${repeats}, the repeats of the run` });
      }
    }
    const baselines = new Set(gates.flatMap(({ baseline_run_id: id }) => id ?? []));
    for (const id of baselines) {
      const baseline = await this.runs.datasetOf(tx, scope, id);
      if (baseline === undefined)
        throw new NotFound('eval_run_not_found', `there is no eval run ${JSON.stringify(id)} to compare with`);
      if (baseline !== datasetId) {
        const index = gates.findIndex(({ baseline_run_id: of }) => of === id);
        faults.push({ path: `gates.${index}.baseline_run_id`, message: 'must be a run of the same dataset' });
      }
    }
    if (faults.length > 0) throw invalidRequest(faults);
    return gates.map(wanted);
  }
}

const wanted = ({ metric, scorer, k, op, value, baseline_run_id: baseline }: Gate): JudgedGate => ({
  metric,
  scorer: scorer ?? null,
  k: metric === 'pass_at_k' || metric === 'pass_hat_k' ? (k ?? 1) : null,
  op: metric === 'regression' ? null : (op ?? null),
  value: metric === 'regression' ? null : (value ?? null),
  baseline_run_id: isBaselineMetric(metric) ? (baseline ?? null) : null,
  actual: null,
  passed: null,
});
