import { Injectable } from '@nestjs/common';
import type { EventPayload } from '@spandrel/contract';
import { DatapointStore, type DatapointResult } from '@spandrel/datasets';
import { DomainEvents } from '@spandrel/events';
import { Permits, type Scope, projectScope } from '@spandrel/kernel';
import { allSettledOrThrow, type WriteTx, Storage, type GroupCommit, type Outcome } from '@spandrel/storage';
import { addCost, isUnpricedUse, subtractCost, toCostSum, type CostSum } from '@spandrel/tracing';
import { sampleName, type SampleKey, readRunningSamples, writeRunningSamples } from '../eval-item.js';
import { EvalMetrics } from '../eval-metrics.js';
import { EvalResultStore, EvalSampleStore } from '../eval-result.store.js';
import type { EvalResultRow, EvalRunRow, EvalSampleRow } from '../eval-run.entity.js';
import { sampleTotal, listScorers, RESULT_STATUS, cancelRun, EXECUTION, RUN_STATUS } from '../eval-run.js';
import { EvalRunStore, type RunKey } from '../eval-run.store.js';
import {
  mergeSamples,
  resultRow,
  sampleRow,
  type SampleOfItem,
  type FinishedSample,
  type SampleResult,
} from './sample-result.js';
import { SubmissionStore } from '../external/submission.store.js';

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

function listDatapointIds(steps: readonly ItemStep[]): string[] {
  const samples = steps.flatMap(({ finished, next }) => [finished ?? [], next ?? []].flat());
  return [...new Set(samples.map(({ datapointId }) => datapointId))];
}

type CountedSample = Pick<EvalResultRow, 'status' | 'tokens' | 'cost' | 'judgeTokens' | 'judgeCost' | 'reusedRunId'>;

type CountedItem = Pick<EvalResultRow, 'status' | 'score'>;

/** Adds a processed sample to the run's sums. */
export function addSample(run: EvalRunRow, sample: CountedSample): void {
  countSample(run, sample, 1, addCost);
  const { cost, judgeCost, reusedRunId } = sample;
  // What was taken over says nothing of what a call costs.
  if (reusedRunId !== null) return;
  if (cost !== null || judgeCost !== null) noteDearest(run, addCost(toCostSum(cost ?? 0), toCostSum(judgeCost ?? 0)));
}

/** Takes a sample that was added out of the run's sums again; what the dearest one costs stays as it is. */
export const takeSample = (run: EvalRunRow, sample: CountedSample): void => countSample(run, sample, -1, subtractCost);

/** Adds an item, all of whose samples are processed, to the run's sums. */
export const addItem = (run: EvalRunRow, item: CountedItem): void => countItem(run, item, 1);

/** Takes an item that was added out of the run's sums again. */
export function takeItem(run: EvalRunRow, item: CountedItem): void {
  countItem(run, item, -1);
  // No rounding is left of scores that are all gone.
  if (run.scoreCount === 0) run.scoreSum = 0;
}

function countSample(
  run: EvalRunRow,
  { status, tokens, cost, judgeTokens, judgeCost, reusedRunId }: CountedSample,
  count: 1 | -1,
  sumOf: typeof addCost,
): void {
  run.sampleProgress += count;
  if (status === RESULT_STATUS.failed) run.failedSamples += count;
  if (reusedRunId !== null) run.reusedSamples += count;
  run.totalTokens += count * (tokens ?? 0);
  if (cost !== null) {
    const { usd, pico } = sumOf({ usd: run.costUsd, pico: run.costPico }, toCostSum(cost));
    run.costUsd = usd;
    run.costPico = pico;
    run.costCount += count;
  }
  if (isUnpricedUse(tokens, cost)) run.unpricedCount += count;
  run.judgeTokens += count * (judgeTokens ?? 0);
  if (judgeCost !== null) {
    const { usd, pico } = sumOf({ usd: run.judgeCostUsd, pico: run.judgeCostPico }, toCostSum(judgeCost));
    run.judgeCostUsd = usd;
    run.judgeCostPico = pico;
    run.judgeCostCount += count;
  }
  if (isUnpricedUse(judgeTokens, judgeCost)) run.judgeUnpricedCount += count;
}

function countItem(run: EvalRunRow, { status, score }: CountedItem, count: 1 | -1): void {
  run.progress += count;
  if (status === RESULT_STATUS.failed) run.failedCount += count;
  if (score === null) return;
  run.scoreSum += count * score;
  run.scoreCount += count;
}

function noteDearest(run: EvalRunRow, { usd, pico }: CostSum): void {
  const { dearestUsd, dearestPico } = run;
  if (dearestUsd !== null && (usd < dearestUsd || (usd === dearestUsd && pico <= dearestPico!))) return;
  run.dearestUsd = usd;
  run.dearestPico = pico;
}

interface SampleChanges {
  /** New rows of samples; none where each datapoint is tried once. */
  samples: EvalSampleRow[];
  items: EvalResultRow[];
  /** What datapoints are to show. */
  written: DatapointResult[];
  /** One `eval_progress` for each sample. */
  events: EventPayload[];
}

/** The one way in which samples come into runs, whether the server or a caller made them: each once, however often it is sent. */
@Injectable()
export class AddSamples {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly samples: EvalSampleStore,
    private readonly datapoints: DatapointStore,
    private readonly events: DomainEvents,
    private readonly metrics: EvalMetrics,
  ) {}

  /**
   * Adds finished samples to the sums of a locked run; nothing is written.
   * @param run the caller's copy, which is changed.
   * @param processed of all datapoints of these samples: those in it are left out, the others are put into it.
   */
  async add(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    processed: Set<string>,
    finished: readonly FinishedSample[],
  ): Promise<SampleChanges> {
    const changes: SampleChanges = { samples: [], items: [], written: [], events: [] };
    const fresh = finished.filter((sample) => {
      const name = sampleName(sample);
      return !processed.has(name) && processed.add(name);
    });
    const items = run.repeats === 1 ? undefined : await this.buildItems(tx, scope, run, processed, fresh);
    for (const sample of fresh) {
      const row = items ? sampleRow(run, sample) : resultRow(run, sample);
      addSample(run, row);
      if (items) changes.samples.push(row as EvalSampleRow);
      const completed = items ? items.get(sample) : { item: row, output: row.output };
      if (completed) {
        const { item, output } = completed;
        addItem(run, item);
        changes.items.push(item);
        // A datapoint shows nothing of a result without output.
        if (output !== null) {
          changes.written.push({ id: item.datapointId, output, score: item.score, now: sample.now });
        }
      }
      changes.events.push({
        ...{ type: 'eval_progress', run_id: run.id, progress: run.progress, sample_progress: run.sampleProgress },
        ...{ total: run.total, sample_total: sampleTotal(run) },
      });
    }
    return changes;
  }

  /**
   * Writes the rows of samples and items, results of datapoints, the row of the run and the events of all of it.
   * @param run as it was when it was locked.
   * @param now the run with the changes.
   * @param events of the changes and of the run, in order.
   */
  async write(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    now: EvalRunRow,
    changes: SampleChanges,
    events: readonly EventPayload[],
  ): Promise<void> {
    await allSettledOrThrow(
      this.writeRows(tx, scope, run, changes),
      now.status === run.status ? this.runs.updateProgress(tx, now) : this.runs.update(tx, now),
      this.events.emit(tx, scope, ...events),
    );
    tx.end.afterCommit(() => {
      this.metrics.countOutcomes(events);
      this.metrics.countResults(changes.items);
    });
  }

  private async writeRows(tx: WriteTx, scope: Scope, { datasetId }: EvalRunRow, changes: SampleChanges): Promise<void> {
    const { samples, items, written } = changes;
    await allSettledOrThrow(
      samples.length > 0 && this.samples.insert(tx, samples),
      this.results.insert(tx, items),
      this.datapoints.writeResults(tx, scope, datasetId, written),
    );
  }

  /** The items whose last samples are among new ones, by the last of each. */
  private async buildItems(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    processed: ReadonlySet<string>,
    fresh: readonly FinishedSample[],
  ): Promise<Map<FinishedSample, { item: EvalResultRow; output: string | null }>> {
    const repeats = Array.from({ length: run.repeats }, (_, repeat) => repeat);
    const completed = [...Map.groupBy(fresh, ({ datapointId }) => datapointId)].filter(([datapointId]) =>
      repeats.every((repeat) => processed.has(sampleName({ datapointId, repeat }))),
    );
    const begun = completed.filter(([, samples]) => samples.length < run.repeats).map(([datapointId]) => datapointId);
    const earlier = Map.groupBy(
      await this.samples.findSamplesOfItems(tx, scope, run.id, begun),
      ({ datapointId }) => datapointId,
    );
    const scorer = listScorers(run)[0]!.name;
    return new Map(
      completed.map(([datapointId, samples]) => {
        const rows = samples.map((sample): SampleOfItem => {
          const row = sampleRow(run, sample);
          return { ...row, hasOutput: row.output !== null };
        });
        const all = [...(earlier.get(datapointId) ?? []), ...rows].toSorted((a, b) => a.repeat - b.repeat);
        const output = all[0]!.hasOutput ? all[0]!.output : null;
        return [samples.at(-1)!, { item: mergeSamples(all, scorer), output }];
      }),
    );
  }

  /**
   * Puts finished samples into a locked external run, where one may replace another, whose progress never goes back: those that are replaced are out and in again before
   * others are counted, and no event is emitted for them.
   * @param run the caller's copy, which is changed; its row is the caller's to write.
   * @param processed names of all samples of their datapoints that are processed; they grow.
   * @returns what is new, for {@link write}.
   */
  async upsert(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    processed: Set<string>,
    finished: readonly FinishedSample[],
  ): Promise<SampleChanges> {
    const { again = [], fresh = [] } = Object.groupBy(finished, (sample) =>
      processed.has(sampleName(sample)) ? 'again' : 'fresh',
    );
    if (again.length > 0) {
      await this.takeOut(tx, scope, run, again);
      for (const sample of again) processed.delete(sampleName(sample));
      await this.writeRows(tx, scope, run, await this.add(tx, scope, run, processed, again));
    }
    return this.add(tx, scope, run, processed, fresh);
  }

  /**
   * Takes processed samples, and the items of their datapoints, out of a locked run.
   * @param run the caller's copy, which is changed; its row is the caller's to write.
   */
  async takeOut(tx: WriteTx, scope: Scope, run: EvalRunRow, again: readonly SampleKey[]): Promise<void> {
    const ids = [...new Set(again.map(({ datapointId }) => datapointId))];
    const items = await this.samples.findItemsForUpdate(tx, scope, run, ids);
    for (const item of items) takeItem(run, item);
    const names = new Set(again.map(sampleName));
    for (const sample of await this.samples.findForUpdate(tx, scope, run, ids)) {
      if (names.has(sampleName(sample))) takeSample(run, sample);
    }
    await allSettledOrThrow(
      this.samples.deleteItems(tx, scope, run, ids),
      run.repeats > 1 && this.samples.delete(tx, scope, run, again),
    );
  }
}

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

  private async apply(tx: WriteTx, steps: readonly ItemStep[]): Promise<Outcome<StepAnswer>[]> {
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
    return steps.map((step) => outcomes.get(step) ?? { answer: { begun: false, waits: false } });
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
