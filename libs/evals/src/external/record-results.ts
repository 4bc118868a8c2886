import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_SCORER, type EventPayload } from '@spandrel/contract';
import { DomainEvents, type WireEvent } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import { Storage, together, type WriteTx } from '@spandrel/storage';
import { RUN_DISPATCH, type RunDispatch } from '../dispatch/run-dispatch.js';
import { EvalMetrics } from '../eval-metrics.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { EvalRunStore } from '../eval-run.store.js';
import { AddSamples } from '../execution/add-samples.js';
import { decideByCap } from '../execution/cost-cap.js';
import type { FinishedSample } from '../execution/sample-rows.js';
import { cancelledFor } from '../run-end.js';
import { isDue, isThrough, scorersOf } from '../run-plan.js';
import { sampleName } from '../running-items.js';
import { RUN_STATUS } from '../status.js';
import type { Rejection } from './given-result.js';
import { PutSamples } from './put-samples.js';
import { ReplacedSampleStore } from './replaced-sample.store.js';
import { SubmissionStore } from './submission.store.js';
import { sampleOfTaken, type Taken } from './taken-result.js';
import { assertTakesResults } from './takes-results.js';

/** What is there of the samples that results are of: their hashes, and their names by what became of them. */
interface There {
  hashes: Map<string, string | null>;
  processed: Set<string>;
  waiting: ReadonlySet<string>;
}

/** Results to be written. */
interface Sorted {
  /** Results that are samples as they are. */
  finished: FinishedSample[];
  /** Results that scorers of the server are to look at. */
  waiting: Taken[];
}

/** Writes results of external runs, each sample's once, in one transaction with all that follows from them. */
@Injectable()
export class RecordResults {
  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly submissions: SubmissionStore,
    private readonly replaced: ReplacedSampleStore,
    private readonly samples: AddSamples,
    private readonly puts: PutSamples,
    private readonly events: DomainEvents,
    private readonly metrics: EvalMetrics,
    @Inject(RUN_DISPATCH) private readonly dispatch: RunDispatch,
  ) {}

  /**
   * @param replaces whether results take the place of others that are there.
   * @returns those that cannot be taken. @throws as {@link assertTakesResults}.
   */
  execute(scope: Scope, runId: string, taken: readonly Taken[], replaces: boolean): Promise<Rejection[]> {
    return this.storage.write(async (tx) => {
      const [run] = await this.runs.findForWrite(tx, scope, [runId]);
      assertTakesResults(run);
      const there = await this.there(tx, scope, run, taken);
      const { wanted, rejected } = choose(taken, there.hashes, replaces);
      if (wanted.length > 0) await this.write(tx, scope, run, there, sort(run, wanted));
      return rejected;
    });
  }

  private async there(tx: WriteTx, scope: Scope, run: EvalRunRow, taken: readonly Taken[]): Promise<There> {
    const ids = [...new Set(taken.map(({ datapointId }) => datapointId))];
    const processed = await this.replaced.samples(tx, scope, run, ids);
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
    const events: WireEvent[] = [];
    if (run.status === RUN_STATUS.pending) {
      Object.assign(now, { status: RUN_STATUS.running, startedAt: at });
      events.push(wire({ type: 'eval_started', run_id: run.id, dataset_id: run.datasetId }));
    }
    await this.keepWaiting(tx, scope, now, there.waiting, sorted);
    const changes = await this.puts.execute(tx, scope, now, there.processed, sorted.finished);
    events.push(...changes.events);
    if (!isThrough(now) && decideByCap(now, 0) === 'stop') {
      Object.assign(now, cancelledFor(now, 'cost_cap', at));
      events.push(wire({ type: 'eval_cancelled', run_id: run.id }));
    } else if (isDue(now) && !isDue(run)) {
      await this.dispatch.enqueue(tx, { projectId: run.projectId, id: run.id, orgId: scope.orgId });
    }
    await together(
      this.samples.write(tx, scope, run, changes),
      now.status === run.status ? this.runs.updateProgress(tx, now) : this.runs.update(tx, now),
      this.events.emitWire(tx, scope, events),
    );
    tx.end.afterCommit(() => {
      this.metrics.countOutcomes(events);
      this.metrics.countResults(changes.items);
    });
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
  taken: readonly Taken[],
  hashes: Map<string, string | null>,
  replaces: boolean,
): { wanted: Taken[]; rejected: Rejection[] } {
  const wanted = new Map<string, Taken>();
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
function sort(run: EvalRunRow, wanted: readonly Taken[]): Sorted {
  const scorers = scorersOf(run);
  const isScored = scorers.some(({ scoring }) => scoring !== EXTERNAL_SCORER);
  const now = Date.now();
  const finished: FinishedSample[] = [];
  const waiting: Taken[] = [];
  for (const result of wanted) {
    const { datapointId, repeat, taken, hash } = result;
    if (isScored && taken.error === null) waiting.push(result);
    else finished.push({ datapointId, repeat, result: sampleOfTaken(scorers, taken, NONE, hash), now });
  }
  return { finished, waiting };
}

const NONE = new Map<string, never>();

const OTHER_RESULT = 'another result is there for this sample; send it with "on_conflict": "replace" to take its place';

const wire = (event: EventPayload): WireEvent => ({ type: event.type, json: JSON.stringify(event) });
