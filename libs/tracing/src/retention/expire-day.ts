import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, projectScope, type Logger } from '@spandrel/kernel';
import { DAY_MS, dayStart, Storage } from '@spandrel/storage';
import { ExpireBatch, type Deleted } from './expire-batch.js';
import { ExpiredStore, type Cutoffs } from './expired.store.js';
import { SpanCommitParticipants, type TracingChange } from '../write/span-commit-participant.js';
import { SPAN_DAYS } from '../tables.js';
import { TraceStore } from '../trace.store.js';
import type { TraceRow } from '../trace.entity.js';

/** Traces looked at in one go that do not go with their day as a whole. */
const BEYOND_AT_ONCE = 500;
const TRACES_PER_BATCH = 100;
/** How often the day is looked at again when somebody wrote to it meanwhile. */
const ATTEMPTS = 3;
/** How long writers to the day are waited for, which an autovacuum takes a second to be; and readers, who wait behind it. */
const HOLD_MS = 5_000;
const EMPTY_MS = 300;

/** Called with what went, project by project. */
export type Notify = (projectId: string, deleted: Deleted) => void;

/** Somebody changed what was about to go as a whole. */
class NotWhole extends Error {}

/** Takes away the partition of a day on which everything is too old (ADR 0013), once what depends on it is added up. */
@Injectable()
export class ExpireDay {
  constructor(
    private readonly storage: Storage,
    private readonly expired: ExpiredStore,
    private readonly batch: ExpireBatch,
    private readonly traces: TraceStore,
    private readonly participants: SpanCommitParticipants,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @param cutoffs of all projects that have spans on the day; none before its end.
   * @returns whether the day is empty now; what could not be taken away at once is left to batches.
   */
  async execute(day: number, cutoffs: Cutoffs, stopped: AbortSignal, notify: Notify): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS && !stopped.aborted; attempt++) {
      await this.takeBeyond(day, cutoffs, stopped, notify);
      if (stopped.aborted) return false;
      try {
        const gone = await this.takeWhole(day, cutoffs);
        for (const [projectId, deleted] of gone) notify(projectId, deleted);
        return true;
      } catch (error) {
        this.logger.debug({ err: error, day }, 'a day could not be deleted as a whole; deleting it in batches');
      }
    }
    return false;
  }

  /** Traces that reach beyond the day, or are younger than their spans, lose their spans one by one. */
  private async takeBeyond(day: number, cutoffs: Cutoffs, stopped: AbortSignal, notify: Notify): Promise<void> {
    while (!stopped.aborted) {
      const beyond = await this.expired.tracesBeyond(day, cutoffs, BEYOND_AT_ONCE);
      if (beyond.length === 0) return;
      for (const [projectId, traces] of Map.groupBy(beyond, (trace) => trace.projectId)) {
        for (let at = 0; at < traces.length && !stopped.aborted; at += TRACES_PER_BATCH) {
          const some = traces.slice(at, at + TRACES_PER_BATCH).map(({ traceId }) => traceId);
          const deleted = await this.batch.expireSpansOf(projectScope(projectId), some, cutoffs.get(projectId)!);
          notify(projectId, deleted);
        }
      }
    }
  }

  private takeWhole(day: number, cutoffs: Cutoffs): Promise<Map<string, Deleted>> {
    return this.storage.write(async (tx) => {
      await tx.disableStatementTimeout();
      // Traces before their spans, as all writers lock them.
      const gone = await this.expired.deleteTracesOfDay(tx, day, cutoffs);
      await SPAN_DAYS.hold(tx, day, HOLD_MS);
      await this.participants.beforeExpire(tx, { range: { from: dayStart(day), until: dayStart(day) + DAY_MS } });
      const spans = gone.reduce((sum, { spanCount }) => sum + spanCount, 0);
      if ((await this.expired.deleteKeysOfDay(tx, day)) !== spans)
        throw new NotWhole('a trace of the day was written to');
      await this.traces.deleteRestOf(tx, gone);
      const changes = gone.map((trace): TracingChange => ({
        type: 'trace_deleted',
        scope: projectScope(trace.projectId),
        trace,
      }));
      // Before rows that all writers share: who waits for those may have a lock on the partition.
      await SPAN_DAYS.empty(tx, day, EMPTY_MS);
      await this.participants.onCommit(tx, changes);
      return sumsOf(gone);
    });
  }
}

const sumsOf = (traces: readonly TraceRow[]): Map<string, Deleted> =>
  new Map(
    [...Map.groupBy(traces, ({ projectId }) => projectId)].map(([projectId, gone]) => [
      projectId,
      { traces: gone.length, spans: gone.reduce((sum, { spanCount }) => sum + spanCount, 0) },
    ]),
  );
