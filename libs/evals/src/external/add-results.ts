import { Inject, Injectable } from '@nestjs/common';
import {
  EXTERNAL_SCORER,
  type EventPayload,
  type AddedResults,
  type AddResults as AddResultsBody,
} from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { Storage, type WriteTx } from '@spandrel/storage';
import { PRICING, type PricingTable } from '@spandrel/tracing';
import { RUN_DISPATCH, type RunDispatch } from '../dispatch/run-dispatch.js';
import { sampleName } from '../eval-item.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { cancelRun, isDue, isThrough, listScorers, runConfig, snapshotOf, RUN_STATUS } from '../eval-run.js';
import { EvalRunStore } from '../eval-run.store.js';
import { EvalSampleStore } from '../eval-result.store.js';
import { AddSamples, decideByCap } from '../execution/add-samples.js';
import type { FinishedSample } from '../execution/sample-result.js';
import { assertTakesResults } from './complete-run.js';
import { SubmissionStore } from './submission.store.js';
import {
  readResults,
  toSampleResult,
  maskResult,
  normalizeResult,
  type Rejection,
  type NormalizedSample,
} from './submitted-result.js';

/** What is there of the samples that results are of: their hashes, and their names by what became of them. */
interface There {
  hashes: Map<string, string | null>;
  processed: Set<string>;
  waiting: ReadonlySet<string>;
}

interface Sorted {
  finished: FinishedSample[];
  /** Results that scorers of the server are to look at. */
  waiting: NormalizedSample[];
}

/** Writes results of external runs, each sample's once, in one transaction with all that follows from them. */
@Injectable()
export class RecordResults {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly submissions: SubmissionStore,
    private readonly processed: EvalSampleStore,
    private readonly samples: AddSamples,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
  ) {}

  /**
   * @param replaces whether results take the place of others that are there.
   * @returns those that cannot be taken. @throws NotFound, and as {@link assertTakesResults}.
   */
  execute(scope: Scope, runId: string, taken: readonly NormalizedSample[], replaces: boolean): Promise<Rejection[]> {
    return this.storage.write(async (tx) => {
      const run = await this.runs.getForWrite(tx, scope, runId);
      assertTakesResults(run);
      const there = await this.there(tx, scope, run, taken);
      const { wanted, rejected } = choose(taken, there.hashes, replaces);
      if (wanted.length > 0) await this.write(tx, scope, run, there, sort(run, wanted));
      return rejected;
    });
  }

  private async there(tx: WriteTx, scope: Scope, run: EvalRunRow, taken: readonly NormalizedSample[]): Promise<There> {
    const ids = [...new Set(taken.map(({ datapointId }) => datapointId))];
    const processed = await this.processed.findForUpdate(tx, scope, run, ids);
    const waiting = run.unscored > 0 ? await this.submissions.hashedForWrite(tx, scope, run.id, ids) : [];
    return {
      // What waits came later than what is processed.
      hashes: new Map([...processed, ...waiting].map((sample) => [sampleName(sample), sample.resultHash])),
      processed: new Set(processed.map(sampleName)),
      waiting: new Set(waiting.map(sampleName)),
    };
  }

  private async write(tx: WriteTx, scope: Scope, run: EvalRunRow, there: There, sorted: Sorted): Promise<void> {
    const at = Date.now();
    const now = { ...run, resultAt: at };
    const events: EventPayload[] = [];
    if (run.status === RUN_STATUS.pending) {
      Object.assign(now, { status: RUN_STATUS.running, startedAt: run.startedAt ?? at });
      events.push({ type: 'eval_started', run_id: run.id, dataset_id: run.datasetId });
    }
    await this.keepWaiting(tx, scope, now, there.waiting, sorted);
    const changes = await this.samples.upsert(tx, scope, now, there.processed, sorted.finished);
    events.push(...changes.events);
    if (!isThrough(now) && decideByCap(now, 0) === 'stop') {
      Object.assign(now, cancelRun(now, 'cost_cap', at));
      events.push({ type: 'eval_cancelled', run_id: run.id });
    } else if (isDue(now) && !isDue(run)) {
      await this.dispatch.enqueue(tx, { projectId: run.projectId, id: run.id, orgId: scope.orgId });
    }
    await this.samples.write(tx, scope, run, now, changes, events);
  }

  /** Keeps results for the scorers of the server; those whose place others take wait no more. */
  private async keepWaiting(
    tx: WriteTx,
    scope: Scope,
    now: EvalRunRow,
    there: ReadonlySet<string>,
    { finished, waiting }: Sorted,
  ): Promise<void> {
    const gone = [...finished, ...waiting].filter((sample) => there.has(sampleName(sample)));
    if (gone.length > 0) await this.submissions.delete(tx, scope, now.id, gone);
    now.unscored += waiting.length - gone.length;
    if (waiting.length === 0) return;
    const rows = waiting.map(({ datapointId, repeat, taken, hash }) => ({
      ...{ projectId: scope.projectId, runId: now.id, datapointId, repeat },
      result: JSON.stringify(taken),
      resultHash: hash,
    }));
    await this.submissions.insert(tx, rows);
  }
}

/** The results that change something: the last of each sample, unless it is there already or may not take the place of another. */
function choose(
  taken: readonly NormalizedSample[],
  hashes: Map<string, string | null>,
  replaces: boolean,
): { wanted: NormalizedSample[]; rejected: Rejection[] } {
  const wanted = new Map<string, NormalizedSample>();
  const rejected: Rejection[] = [];
  for (const result of taken) {
    const name = sampleName(result);
    const hash = hashes.get(name);
    if (hash === result.hash) continue;
    if (hash !== undefined && !replaces) {
      rejected.push({ index: result.index, code: 'id_conflict', message: OTHER_RESULT });
      continue;
    }
    hashes.set(name, result.hash);
    wanted.set(name, result);
  }
  return { wanted: [...wanted.values()], rejected };
}

/** Errors need no scorer. */
function sort(run: EvalRunRow, wanted: readonly NormalizedSample[]): Sorted {
  const scorers = listScorers(run);
  const isScored = scorers.some(({ scoring }) => scoring !== EXTERNAL_SCORER);
  const now = Date.now();
  const finished: FinishedSample[] = [];
  const waiting: NormalizedSample[] = [];
  for (const result of wanted) {
    const { datapointId, repeat, taken, hash } = result;
    if (isScored && taken.error === null) waiting.push(result);
    else finished.push({ datapointId, repeat, result: toSampleResult(scorers, taken, NONE, hash), now });
  }
  return { finished, waiting };
}

const NONE = new Map<string, never>();

const OTHER_RESULT = 'another result is there for this sample; send it with "on_conflict": "replace" to take its place';

/** `POST /api/eval/:run_id/results` (docs/spec/external-runs.md#results). */
@Injectable()
export class AddResults {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly record: RecordResults,
    private readonly masking: ProjectMasking,
    @Inject(PRICING) private readonly pricing: PricingTable,
  ) {}

  /**
   * Keeps results, each on its own, and has those scored that scorers of the server are to look at.
   * @returns once they are durable.
   * @throws NotFound; Conflict for a run of the server; Invalid for one that is over.
   */
  async execute(
    scope: Scope,
    runId: string,
    { results, on_conflict: onConflict }: AddResultsBody,
  ): Promise<AddedResults> {
    const run = await this.runs.get(scope, runId);
    assertTakesResults(run);
    const { given, rejected } = await readResults({ repeats: run.repeats, scorers: listScorers(run) }, results);
    const ids = [...new Set(given.map(({ datapointId }) => datapointId))];
    const present = ids.length > 0 ? await this.snapshots.present(scope, snapshotOf(run), ids) : new Set<string>();
    const masking = await this.masking.of(scope);
    const { model } = runConfig(run);
    const taken: NormalizedSample[] = [];
    for (const result of given) {
      if (present.has(result.datapointId)) {
        const { index, datapointId, repeat, hash } = result;
        const whole = normalizeResult(result, model, this.pricing);
        const kept = masking ? await masking.run((calls) => maskResult(calls, whole)) : whole;
        taken.push({ index, datapointId, repeat, hash, taken: kept });
      } else {
        rejected.push({ index: result.index, code: 'datapoint_not_found', message: NOT_OF_RUN });
      }
    }
    if (taken.length > 0) rejected.push(...(await this.record.execute(scope, runId, taken, onConflict === 'replace')));
    return {
      accepted: results.length - rejected.length,
      rejected: rejected.toSorted((a, b) => a.index - b.index),
    };
  }
}

const NOT_OF_RUN = 'the run has no datapoint with this id; GET …/items lists those it has';
