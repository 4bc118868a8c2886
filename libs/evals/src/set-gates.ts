import { Injectable } from '@nestjs/common';
import type { EvalRunSummary, Gate, JudgedGate } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from './eval-run.entity.js';
import { EvalRunStore } from './eval-run.store.js';
import { evalRunNotFound } from './not-found.js';
import { PlanGates } from './plan-gates.js';
import { scorersOf } from './run-plan.js';
import { runSummary } from './run-resource.js';
import { JudgeRun } from './statistics/judge-run.js';
import { passedOf } from './statistics/gates.js';
import { RUN_STATUS } from './status.js';

/** `POST /api/eval/:run_id/gates`: other gates for a run (docs/spec/eval-gates.md). */
@Injectable()
export class SetGates {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly plans: PlanGates,
    private readonly judgements: JudgeRun,
  ) {}

  /**
   * A run that goes on is judged at its end, one that is over at once.
   * @returns the run with its gates.
   * @throws NotFound for the run or a baseline; Invalid for gates that the run cannot have.
   */
  async execute(scope: Scope, id: string, gates: readonly Gate[]): Promise<EvalRunSummary> {
    const { run, planned } = await this.storage.write(async (tx) => {
      const found = await this.locked(tx, scope, id);
      const { datasetId, repeats } = found;
      const wanted = await this.plans.execute(tx, scope, { datasetId, repeats, scorers: scorersOf(found), gates });
      const changed = isOver(found) ? found : await this.write(tx, found, wanted, null);
      return { run: changed, planned: wanted };
    });
    if (!isOver(run)) return runSummary(run);
    const judged = planned.length === 0 ? [] : (await this.judgements.execute(scope, run, planned)).gates;
    const over = await this.storage.write(async (tx) => {
      const found = await this.locked(tx, scope, id);
      return this.write(tx, found, judged, passedOf(found.status, judged));
    });
    return runSummary(over);
  }

  private async locked(tx: WriteTx, scope: Scope, id: string): Promise<EvalRunRow> {
    const [run] = await this.runs.findForWrite(tx, scope, [id]);
    if (!run) throw evalRunNotFound();
    return run;
  }

  private async write(
    tx: WriteTx,
    run: EvalRunRow,
    gates: readonly JudgedGate[],
    passed: EvalRunRow['passed'],
  ): Promise<EvalRunRow> {
    const changed = { ...run, gates: toJsonText(gates.length === 0 ? null : gates), passed };
    await this.runs.update(tx, changed);
    return changed;
  }
}

const isOver = ({ status }: EvalRunRow): boolean => status >= RUN_STATUS.completed;
