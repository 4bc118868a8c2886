import { Injectable } from '@nestjs/common';
import type { FieldError, Gate, JudgedGate, RunScorer, EvalRunSummary } from '@spandrel/contract';
import { invalidRequest, NotFound, type Scope } from '@spandrel/kernel';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from './eval-run.entity.js';
import { evalRunNotFound, listScorers, runSummary, snapshotOf, RUN_STATUS } from './eval-run.js';
import { EvalRunStore } from './eval-run.store.js';
import { gateFaults, unjudged, decidePassed } from './statistics/gates.js';
import { JudgeRun } from './statistics/measure-run.js';
import { ReadMetadata } from './statistics/metadata-keys.js';

interface WantedGates {
  datasetId: string;
  repeats: number;
  scorers: readonly RunScorer[];
  /** With the groups that the datapoints have. */
  gates: readonly Gate[];
  /** What is wrong with their groups. */
  faults: readonly FieldError[];
}

/** Checks gates against the run that is to have them (docs/spec/eval-gates.md). */
@Injectable()
export class PlanGates {
  constructor(private readonly runs: EvalRunStore) {}

  /**
   * @returns the gates as a run shows them before they are judged.
   * @throws Invalid with all faults; NotFound for a baseline.
   */
  async execute(tx: WriteTx, scope: Scope, wanted: WantedGates): Promise<JudgedGate[]> {
    const { datasetId, repeats, scorers, gates } = wanted;
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
      const baseline = await this.runs.findDatasetId(tx, scope, id);
      if (baseline === undefined)
        throw new NotFound('eval_run_not_found', `there is no eval run ${JSON.stringify(id)} to compare with`);
      if (baseline !== datasetId) {
        const index = planned.findIndex(({ baseline_run_id: of }) => of === id);
        faults.push({ path: `gates[${index}].baseline_run_id`, message: 'must be a run of the same dataset' });
      }
    }
    if (faults.length + wanted.faults.length > 0) throw invalidRequest([...faults, ...wanted.faults]);
    return planned;
  }
}

/** `POST /api/eval/:run_id/gates`: other gates for a run (docs/spec/eval-gates.md). */
@Injectable()
export class SetGates {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly plans: PlanGates,
    private readonly judgements: JudgeRun,
    private readonly metadata: ReadMetadata,
  ) {}

  /**
   * A run that goes on is judged at its end, one that is over at once.
   * @returns the run with its gates.
   * @throws NotFound for the run or a baseline; Invalid for gates that the run cannot have.
   */
  async execute(scope: Scope, id: string, gates: readonly Gate[]): Promise<EvalRunSummary> {
    const before = await this.runs.find(scope, id);
    if (!before) throw evalRunNotFound();
    const { datasetId, repeats } = before;
    const scorers = listScorers(before);
    const resolved = await this.metadata.resolveGates(
      scope,
      snapshotOf(before),
      gates,
      scorers.map(({ name }) => name),
    );
    const { run, planned } = await this.storage.write(async (tx) => {
      const found = await this.locked(tx, scope, id);
      const wanted = await this.plans.execute(tx, scope, { datasetId, repeats, scorers, ...resolved });
      const changed = isOver(found) ? found : await this.write(tx, found, wanted, null);
      return { run: changed, planned: wanted };
    });
    if (!isOver(run)) return runSummary(run);
    const judged = planned.length === 0 ? [] : (await this.judgements.execute(scope, run, planned)).gates;
    const over = await this.storage.write(async (tx) => {
      const found = await this.locked(tx, scope, id);
      return this.write(tx, found, judged, decidePassed(found.status, judged));
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
