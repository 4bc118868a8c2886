import { Injectable } from '@nestjs/common';
import { projectScope, type Scope } from '@spandrel/kernel';
import {
  Storage,
  allSettledOrThrow,
  type Applied,
  type GroupCommit,
  type Outcome,
  type WriteTx,
} from '@spandrel/storage';
import { toCostSum, type CostSum } from '@spandrel/tracing';
import { readRunningSamples, writeRunningSamples, sampleName, type SampleKey } from '../eval-item.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { cancelRun, EXECUTION, RUN_STATUS } from '../eval-run.js';
import { EvalRunStore, type RunKey } from '../eval-run.store.js';
import { EvalSampleStore } from '../eval-sample.store.js';
import { SubmissionStore } from '../external/submission.store.js';
import { AddSamples } from './add-samples.js';
import { Permits } from './permits.js';
import type { SampleResult } from './sample-result.js';

/** Whether a sample may begin: at once, perhaps when another one has ended, or never. */
type CapDecision = 'begin' | 'wait' | 'stop';

type CappedRun = Pick<
  EvalRunRow,
  | ('costCap' | 'costUsd' | 'costPico' | 'judgeCostUsd' | 'judgeCostPico' | 'dearestUsd' | 'dearestPico')
  | ('retriedUsd' | 'retriedPico')
>;

/**
 * Decides by the cost cap of a run (docs/spec/evaluations.md#cost-cap): what was spent, and the dearest sample so far for each
 * one that is under way and for this one, must not be above it. Until a cost is known, samples go one at a time.
 * All in whole trillionths of a dollar, so that sums are exact.
 * @param inFlight samples that are being called.
 */
export function decideByCap(run: CappedRun, inFlight: number): CapDecision {
  if (run.costCap === null) return 'begin';
  if (run.dearestUsd === null) return inFlight === 0 ? 'begin' : 'wait';
  const spent =
    toPico({ usd: run.costUsd, pico: run.costPico }) +
    toPico({ usd: run.judgeCostUsd, pico: run.judgeCostPico }) +
    toPico({ usd: run.retriedUsd, pico: run.retriedPico });
  const dearest = toPico({ usd: run.dearestUsd, pico: run.dearestPico! });
  if (spent + BigInt(inFlight + 1) * dearest <= toPico(toCostSum(run.costCap))) return 'begin';
  return inFlight > 0 ? 'wait' : 'stop';
}

const PICO_PER_USD = 1_000_000_000_000n;

const toPico = ({ usd, pico }: CostSum): bigint => BigInt(usd) * PICO_PER_USD + BigInt(pico);

/** One step of a run's slot: a sample is done, the next one begins. */
export interface ItemStep {
  run: RunKey & Pick<EvalRunRow, 'repeats'>;
  /** Who works on the run; only its owner begins samples. */
  owner: string;
  finished?: SampleKey & { result: SampleResult };
  /** The sample to begin, when there is one. */
  next?: SampleKey;
  now: number;
}

/** Whether the next sample may be called: now, or perhaps once another one of the run has ended. */
export interface StepAnswer {
  begun: boolean;
  waits: boolean;
}

/** Rows that a step writes, about. */
const ROWS_PER_STEP = 3;

/** Steps that fill a commit. */
const STEPS_MAX = 64;

/**
 * How the executor writes: steps of all runs share commits. A sample that is processed stays as it is, progress only grows, and
 * whether a cost cap lets a sample begin is decided where the run is locked, so that it holds for every process.
 */
@Injectable()
export class RecordItems {
  private readonly group: GroupCommit<ItemStep, StepAnswer>;

  constructor(
    storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly samples: AddSamples,
    private readonly rows: EvalSampleStore,
    private readonly submissions: SubmissionStore,
    calls: Permits,
  ) {
    this.group = storage.groupCommit<ItemStep, StepAnswer>({
      apply: (tx, steps) => this.apply(tx, steps),
      weigh: () => ROWS_PER_STEP,
      // Calls that come back within moments share the commit: one for those of them that came first is not worth its fsync.
      expected: () => Math.min(this.group.waitingJobs + calls.taken, STEPS_MAX),
    });
  }

  /** @returns once the step is durable. @throws Unavailable when the database cannot take it now. */
  execute(step: ItemStep): Promise<StepAnswer> {
    return this.group.submit(step);
  }

  private async apply(tx: WriteTx, steps: readonly ItemStep[]): Promise<Applied<StepAnswer>> {
    const outcomes = new Map<ItemStep, Outcome<StepAnswer>>();
    for (const [projectId, ofProject] of Map.groupBy(steps, ({ run }) => run.projectId)) {
      const scope = projectScope(projectId);
      const byRun = Map.groupBy(ofProject, ({ run }) => run.id);
      // Asked for together, done in this order: what is processed is read once the runs are locked.
      const locking = this.runs.findForWrite(tx, scope, [...byRun.keys()]);
      const reading = [...byRun].map(async ([id, ofRun]) => {
        return [id, await this.rows.processed(scope, ofRun[0]!.run, listDatapointIds(ofRun), tx)] as const;
      });
      await allSettledOrThrow(locking, ...reading);
      const processed = new Map(await Promise.all(reading));
      for (const run of await locking) {
        await this.applyToRun(tx, scope, run, byRun.get(run.id)!, processed.get(run.id)!, outcomes);
      }
    }
    // A run that is gone has nothing to record.
    return { outcomes: steps.map((step) => outcomes.get(step) ?? { answer: { begun: false, waits: false } }) };
  }

  private async applyToRun(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    steps: readonly ItemStep[],
    processed: Set<string>,
    outcomes: Map<ItemStep, Outcome<StepAnswer>>,
  ): Promise<void> {
    let now = { ...run };
    const running = new Map(readRunningSamples(run).map((sample) => [sampleName(sample), sample]));
    const finished = steps.flatMap((step) => (step.finished ? { ...step.finished, now: step.now } : []));
    for (const sample of finished) running.delete(sampleName(sample));
    const isExternal = run.execution === EXECUTION.external;
    const changes = isExternal
      ? await this.samples.upsert(
          tx,
          scope,
          now,
          processed,
          await this.submissions.takeScored(tx, scope, now, finished),
        )
      : await this.samples.add(tx, scope, now, processed, finished);
    const events = changes.events;
    for (const step of steps) {
      const { next, owner } = step;
      // A result of an external run that waits may take the place of a processed one.
      const isOpen = next !== undefined && (isExternal || !processed.has(sampleName(next)));
      const mayBegin = isOpen && now.status === RUN_STATUS.running && now.leaseOwner === owner;
      const decision: CapDecision | undefined = mayBegin ? decideByCap(now, running.size) : undefined;
      if (decision === 'begin') running.set(sampleName(next!), next!);
      if (decision === 'stop') {
        now = { ...now, ...cancelRun(now, 'cost_cap', step.now) };
        events.push({ type: 'eval_cancelled', run_id: run.id });
      }
      outcomes.set(step, { answer: { begun: decision === 'begin', waits: decision === 'wait' } });
    }
    now.running = writeRunningSamples(running.values());
    await this.samples.write(tx, scope, run, now, changes, events);
  }
}

function listDatapointIds(steps: readonly ItemStep[]): string[] {
  const samples = steps.flatMap(({ finished, next }) => [finished ?? [], next ?? []].flat());
  return [...new Set(samples.map(({ datapointId }) => datapointId))];
}
