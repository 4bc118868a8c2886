import { Injectable } from '@nestjs/common';
import type { EventPayload, FieldError, Gate, JudgedGate, RunScorer, EvalRunSummary } from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import { projectScope, type Scope, invalidRequest, NotFound } from '@spandrel/kernel';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import { EvalMetrics } from './eval-metrics.js';
import { EvalResultStore, type ErrorCount } from './eval-result.store.js';
import type { EvalRunRow } from './eval-run.entity.js';
import { endRun, isThrough, RUN_STATUS, listScorers, runSummary, snapshotOf } from './eval-run.js';
import { EvalRunStore, PROGRESS, type RunKey } from './eval-run.store.js';
import { RunParticipants } from './run-participants.js';
import { decidePassed, gateFaults, unjudged } from './statistics/gates.js';
import { JudgeRun, ReadMetadata } from './statistics/measure-run.js';

/**
 * Says why a run came to nothing, by the commonest reason (docs/spec/evaluations.md#runs-whose-items-all-fail).
 * @param total items of the run, all of them failed.
 * @param errors of its items, the commonest first.
 */
export function whyAllFailed(total: number, errors: readonly ErrorCount[]): string {
  const reasons = new Map<string, ErrorCount>();
  for (const { error, count } of errors) {
    const reason = reasons.get(normalizeReason(error));
    if (reason) reason.count += count;
    else reasons.set(normalizeReason(error), { error, count });
  }
  const [first] = [...reasons.values()].toSorted((a, b) => b.count - a.count);
  const items = total === 1 ? 'the only item failed' : `all ${total} items failed`;
  if (!first) return items;
  return `${items}: ${first.error}${first.count === total ? '' : ` (${first.count} of ${total})`}`;
}

/** What errors have in common that differ in quoted text, numbers and ids only; a status of HTTP is no such number. */
const normalizeReason = (error: string): string =>
  error
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\w(?=[\w-]{7})[\w-]+/g, (word) => (/\d/.test(word) ? '#' : word))
    .replaceAll(/(?<!HTTP |\d)\d(?:[\d.]*\d)?/g, '#');

/** What changes with a sample that is replaced, or with gates. */
const CHANGING = ['gates', ...PROGRESS] as const;

/** Completes runs: with what their scores are worth, whether their gates hold, and their counters counted again, in one transaction. */
@Injectable()
export class FinishRun {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly judgements: JudgeRun,
    private readonly events: DomainEvents,
    private readonly metrics: EvalMetrics,
    private readonly participants: RunParticipants,
  ) {}

  /**
   * running → completed, when nothing is left to be processed and the run is the owner's to work on; else nothing happens, so that it may
   * be asked for at any time and again. What was judged and counted is written if nothing of it has changed meanwhile; otherwise it
   * is done again. Counted, because a server of another version may have worked on the run that does not keep a counter of this one.
   * @param owner `null`: nobody works on the run.
   */
  async execute({ projectId, id }: RunKey, owner: string | null): Promise<void> {
    const scope = projectScope(projectId);
    const mayFinish = (run: EvalRunRow | null | undefined): run is EvalRunRow =>
      run?.status === RUN_STATUS.running && run.leaseOwner === owner && isThrough(run);
    for (let isDone = false; !isDone;) {
      const found = await this.runs.find(scope, id);
      if (!mayFinish(found)) return;
      const { gates, score, measures } = await this.judgements.execute(scope, found);
      const counters = await this.runs.recount(scope, found);
      isDone = await this.storage.write(async (tx) => {
        const [run] = await this.runs.findForWrite(tx, scope, [id]);
        if (!mayFinish(run)) return true;
        if (CHANGING.some((member) => run[member] !== found[member])) return false;
        await this.complete(tx, scope, {
          ...run,
          ...counters,
          gates: toJsonText(gates.length === 0 ? null : gates),
          passed: decidePassed(RUN_STATUS.completed, gates),
          scoreSe: score.se,
          scoreCi: toJsonText(score.ci),
          measures: toJsonText(measures),
        });
        return true;
      });
    }
  }

  private async complete(tx: WriteTx, scope: Scope, run: EvalRunRow): Promise<void> {
    const haveAllFailed = run.total > 0 && run.failedCount === run.total;
    const error = haveAllFailed
      ? toJsonText(whyAllFailed(run.total, await this.results.errorsForWrite(tx, scope, run.id)))
      : run.error;
    const completed: EventPayload = { type: 'eval_completed', run_id: run.id };
    await this.runs.update(tx, { ...run, ...endRun(RUN_STATUS.completed, Date.now()), error });
    await this.events.emit(tx, scope, completed);
    tx.end.afterCommit(() => {
      this.metrics.countOutcomes([completed]);
      this.participants.completed(scope, run.id);
    });
  }
}

interface WantedGates {
  datasetId: string;
  /** The run with whose answers the scorers compare. */
  baselineRunId?: string | null | undefined;
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
    const baselines = new Set(
      [wanted.baselineRunId, ...planned.map((gate) => gate.baseline_run_id)].flatMap((id) => id ?? []),
    );
    for (const id of baselines) {
      const baseline = await this.runs.findDatasetId(tx, scope, id);
      if (baseline === undefined)
        throw new NotFound('eval_run_not_found', `there is no eval run ${JSON.stringify(id)} to compare with`);
      if (baseline !== datasetId) {
        const index = planned.findIndex(({ baseline_run_id: of }) => of === id);
        const path = index === -1 ? 'baseline_run_id' : `gates[${index}].baseline_run_id`;
        faults.push({ path, message: 'must be a run of the same dataset' });
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
    const before = await this.runs.get(scope, id);
    const { datasetId, repeats } = before;
    const scorers = listScorers(before);
    const resolved = await this.metadata.resolveGates(
      scope,
      snapshotOf(before),
      gates,
      scorers.map(({ name }) => name),
    );
    const { run, planned } = await this.storage.write(async (tx) => {
      const found = await this.runs.getForWrite(tx, scope, id);
      const wanted = await this.plans.execute(tx, scope, { datasetId, repeats, scorers, ...resolved });
      const changed = isOver(found) ? found : await this.write(tx, found, wanted, null);
      return { run: changed, planned: wanted };
    });
    if (!isOver(run)) return runSummary(run);
    const judged = planned.length === 0 ? [] : (await this.judgements.execute(scope, run, planned)).gates;
    const over = await this.storage.write(async (tx) => {
      const found = await this.runs.getForWrite(tx, scope, id);
      return this.write(tx, found, judged, decidePassed(found.status, judged));
    });
    return runSummary(over);
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
