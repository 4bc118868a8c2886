import { Injectable } from '@nestjs/common';
import { projectScope, type RetentionTerm } from '@spandrel/kernel';
import { DAY_MS, DayPartitions, dayStart } from '@spandrel/storage';
import { ExpireBatch, type Deleted } from './expire-batch.js';
import { ExpireDay } from './expire-day.js';
import { ExpiredStore, type Cutoffs } from './expired.store.js';

/** Spans whose traces are taken in one batch. */
const SPANS_AT_ONCE = 500;
const EMPTY_AT_ONCE = 500;

/** What `Expired.plans` calls projects whose days no plan says; they differ, so `days` is `null`. */
const OWN_DAYS = 'own days';

export interface Expired {
  /** For each plan, and for those with days of their own ({@link OWN_DAYS}): how many days are kept, and what was deleted. */
  plans: Map<string, Deleted & { days: number | null }>;
  projects: Map<string, Deleted>;
  daysDropped: number;
}

/**
 * Deletes traces and spans that have been kept as long as their plan or project says (docs/spec/limits.md#retention): whole
 * days on which everything is too old at once, others in small transactions. A run that ends early is gone on with by the
 * next, and several at a time do each other no harm.
 */
@Injectable()
export class ExpireSpans {
  constructor(
    private readonly partitions: DayPartitions,
    private readonly expired: ExpiredStore,
    private readonly day: ExpireDay,
    private readonly batch: ExpireBatch,
  ) {}

  /** @param now data is deleted when it is older than this moment by more than its term. @throws Unavailable */
  async execute(terms: readonly RetentionTerm[], now: number, stopped: AbortSignal): Promise<Expired> {
    const result: Expired = { plans: new Map(), projects: new Map(), daysDropped: 0 };
    const planOf = new Map(terms.map(({ projectId, plan }) => [projectId, plan ?? OWN_DAYS]));
    for (const { plan, days } of terms) {
      result.plans.set(plan ?? OWN_DAYS, { days: plan === null ? null : days, traces: 0, spans: 0 });
    }
    const notify = (projectId: string, { traces, spans }: Deleted): void => {
      if (traces + spans === 0) return;
      const ofProject = result.projects.get(projectId) ?? { traces: 0, spans: 0 };
      result.projects.set(projectId, ofProject);
      for (const sums of [result.plans.get(planOf.get(projectId)!)!, ofProject]) {
        sums.traces += traces;
        sums.spans += spans;
      }
    };
    const cutoffs: Cutoffs = new Map(terms.map(({ projectId, days }) => [projectId, now - days * DAY_MS]));
    const latest = cutoffs.values().reduce((most, cutoff) => Math.max(most, cutoff), -Infinity);
    const over = (await this.partitions.days()).filter((day) => dayStart(day + 1) <= latest);
    const empty: number[] = [];
    for (const day of over) {
      if (stopped.aborted) return result;
      const ofDay = await this.cutoffsOf(day, cutoffs);
      if (ofDay && (ofDay.size === 0 || (await this.day.execute(day, ofDay, stopped, notify)))) empty.push(day);
    }
    for (const [projectId, before] of cutoffs) await this.ofProject(projectId, before, stopped, notify);
    for (const day of empty) if (!stopped.aborted && (await this.partitions.drop(day))) result.daysDropped++;
    return result;
  }

  /** The cutoffs of the projects with spans on a day; `undefined` when a project keeps its spans. */
  private async cutoffsOf(day: number, cutoffs: Cutoffs): Promise<Cutoffs | undefined> {
    const found = new Map<string, number>();
    for (const projectId of await this.expired.projectsOfDay(day)) {
      const cutoff = cutoffs.get(projectId);
      if (cutoff === undefined || cutoff < dayStart(day + 1)) return undefined;
      found.set(projectId, cutoff);
    }
    return found;
  }

  private async ofProject(
    projectId: string,
    before: number,
    stopped: AbortSignal,
    notify: (projectId: string, deleted: Deleted) => void,
  ): Promise<void> {
    const scope = projectScope(projectId);
    while (!stopped.aborted) {
      const traceIds = await this.expired.tracesOfOldest(scope, before, SPANS_AT_ONCE);
      if (traceIds.length === 0) break;
      notify(projectId, await this.batch.expireSpansOf(scope, traceIds, before));
    }
    while (!stopped.aborted) {
      const traceIds = await this.expired.emptyTraces(scope, before, EMPTY_AT_ONCE);
      if (traceIds.length === 0) break;
      notify(projectId, await this.batch.deleteEmptyTraces(scope, traceIds, before));
    }
  }
}
