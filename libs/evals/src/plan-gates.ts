import { Injectable } from '@nestjs/common';
import type { FieldError, Gate, JudgedGate, RunScorer } from '@spandrel/contract';
import { invalidRequest, NotFound, type Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { EvalRunStore } from './eval-run.store.js';
import { gateFaults, unjudged } from './statistics/gates.js';

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
    const names = scorers.map(({ name }) => name);
    const faults: FieldError[] = gates.flatMap((gate, index) =>
      gateFaults(gate, { repeats, scorers: names }).map(({ member, message }) => ({
        path: `gates[${index}].${member}`,
        message,
      })),
    );
    const planned = gates.map(unjudged);
    const baselines = new Set(planned.flatMap(({ baseline_run_id: id }) => id ?? []));
    for (const id of baselines) {
      const baseline = await this.runs.datasetOf(tx, scope, id);
      if (baseline === undefined)
        throw new NotFound('eval_run_not_found', `there is no eval run ${JSON.stringify(id)} to compare with`);
      if (baseline !== datasetId) {
        const index = planned.findIndex(({ baseline_run_id: of }) => of === id);
        faults.push({ path: `gates[${index}].baseline_run_id`, message: 'must be a run of the same dataset' });
      }
    }
    if (faults.length > 0) throw invalidRequest(faults);
    return planned;
  }
}
