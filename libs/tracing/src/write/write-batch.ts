import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import { DomainError, type Scope } from '@spandrel/kernel';
import { BeginAgain, together, type Applied, type Outcome, type WriteTx } from '@spandrel/storage';
import { applyJob, type JobAnswer } from './apply-job.js';
import { DeleteTraces } from './delete-traces.js';
import type { PricingTable } from '../pricing.js';
import { SpanCommitParticipants } from './span-commit-participant.js';
import { SpanStore } from '../span.store.js';
import { TextCover } from '../text-slices/text-cover.store.js';
import type { StoredSpan } from '../span.entity.js';
import { TraceStore } from '../trace.store.js';
import type { TracingChange } from './tracing-change.js';
import { auditedDeletion } from './audited-deletion.js';
import { aliasOf } from './span-alias.js';
import { LoadFamily } from '../cover/load-family.js';
import { saveMarks } from '../cover/usage-mark.sql.js';
import { isBulkDelete, namedSpans, type RowJob, type TracingJob } from './tracing-job.js';
import { WorkingSet } from './working-set.js';

/**
 * A batch of jobs in one transaction: loads the rows they touch, one query for the spans and one for the traces of a
 * project, applies the jobs in memory in their order, writes the rows that changed, and lets the participants take part.
 */
@Injectable()
export class WriteBatch {
  constructor(
    private readonly traces: TraceStore,
    private readonly spans: SpanStore,
    private readonly deletes: DeleteTraces,
    private readonly participants: SpanCommitParticipants,
    private readonly family: LoadFamily,
    private readonly audit: AuditTrail,
    private readonly textCover: TextCover,
  ) {}

  /** @returns a job's own error as its outcome. @throws whatever loses the transaction. */
  async apply(tx: WriteTx, jobs: readonly TracingJob[], pricing: PricingTable): Promise<Applied<JobAnswer>> {
    const changes: TracingChange[] = [];
    const outcomes: Outcome<JobAnswer>[] = [];
    let next = 0;
    while (next < jobs.length) {
      const job = jobs[next]!;
      if (isBulkDelete(job)) {
        outcomes.push(await outcomeOf(() => this.deletes.execute(tx, job, changes)));
        next++;
        continue;
      }
      const end = jobs.findIndex((later, index) => index > next && isBulkDelete(later));
      const run = jobs.slice(next, end === -1 ? jobs.length : end) as RowJob[];
      outcomes.push(...(await this.applyRun(tx, run, pricing, changes)));
      next += run.length;
    }
    for (const [index, outcome] of outcomes.entries()) {
      const deletion = auditedDeletion(jobs[index]!, outcome);
      if (deletion) this.audit.record(tx, deletion);
    }
    await this.participants.onCommit(tx, changes);
    return { outcomes };
  }

  private async applyRun(
    tx: WriteTx,
    jobs: readonly RowJob[],
    pricing: PricingTable,
    changes: TracingChange[],
  ): Promise<Outcome<JobAnswer>[]> {
    const sets = new Map<string, WorkingSet>();
    const scopes = new Map(jobs.map(({ scope }) => [scope.projectId, scope]));
    // In one order in all instances, so that none waits for another that waits for it.
    for (const [, scope] of [...scopes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const ofProject = jobs.filter((job) => job.scope.projectId === scope.projectId);
      sets.set(scope.projectId, await this.load(tx, scope, ofProject, changes));
    }
    const outcomes: Outcome<JobAnswer>[] = [];
    for (const job of jobs) {
      outcomes.push(await outcomeOf(() => applyJob(sets.get(job.scope.projectId)!, job, pricing)));
    }
    for (const set of sets.values()) await this.save(tx, set);
    return outcomes.map((outcome, index) => settled(outcome, sets.get(jobs[index]!.scope.projectId)!));
  }

  private async load(
    tx: WriteTx,
    scope: Scope,
    jobs: readonly RowJob[],
    changes: TracingChange[],
  ): Promise<WorkingSet> {
    const set = new WorkingSet(scope, changes);
    const traceIds = new Set<string>();
    for (const job of jobs) {
      for (const id of spanIdsOf(job)) set.loadSpan(id, null);
      for (const id of traceIdsOf(job)) traceIds.add(id);
    }
    const spanIds = [...set.spans.keys()];
    let spans: StoredSpan[];
    if (tx.dialect === 'postgres') {
      // Traces before their spans, as who deletes a trace does. SQLite has one writer, which needs no second look.
      const locking = this.traces.loadWithThoseOf(tx, scope, [...traceIds], spanIds);
      const placing = this.spans.lock(tx, scope, spanIds);
      const covering = this.textCover.endOf(tx, scope);
      await together(locking, placing, covering);
      set.textCoverEnd = await covering;
      const places = await placing;
      for (const trace of await locking) set.loadTrace(trace.id, trace);
      spans = await this.spans.loadLocked(tx, scope, spanIds, places);
      await this.assertLocked(tx, set, spans);
    } else {
      set.textCoverEnd = await this.textCover.endOf(tx, scope);
      spans = await this.spans.loadForWrite(tx, scope, spanIds);
      for (const { traceId } of spans) traceIds.add(traceId);
      for (const trace of await this.traces.loadForWrite(tx, scope, [...traceIds])) set.loadTrace(trace.id, trace);
    }
    for (const span of spans) set.loadSpan(span.id, span);
    await this.family.execute(tx, set, jobs);
    return set;
  }

  /**
   * Spans may have come with their trace since the traces were locked. Locking that one now, behind others and their spans,
   * may meet a transaction which has it and waits for one of those.
   * @throws BeginAgain, so that it is locked in its place.
   */
  private async assertLocked(tx: WriteTx, set: WorkingSet, spans: readonly StoredSpan[]): Promise<void> {
    const late = new Set(spans.flatMap(({ traceId }) => (set.traces.has(traceId) ? [] : traceId)));
    if (late.size > 0 && (await this.traces.exist(tx, set.scope, [...late]))) {
      throw new BeginAgain('a trace came while others were locked');
    }
  }

  private async save(tx: WriteTx, set: WorkingSet): Promise<void> {
    const traces = [...set.traces.values()];
    const saving = together(
      this.spans.save(tx, set.scope, set.spans.values()),
      saveMarks(tx, set.scope, set.marks),
      this.textCover.noteLate(tx, set.scope, set.textCoverEnd, set.spans.values()),
    );
    if (!traces.some(({ recount }) => recount)) {
      await together(saving, this.traces.save(tx, traces));
      return;
    }
    await saving;
    for (const cell of traces) {
      if (!cell.recount || !cell.now) continue;
      cell.now = { ...cell.now, lastEndedAt: await this.spans.latestEnd(tx, set.scope, cell.now.id) };
    }
    await this.traces.save(tx, traces);
  }
}

async function outcomeOf<Answer>(work: () => Answer | Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    return { answer: await work() };
  } catch (error) {
    if (error instanceof DomainError) return { error };
    throw error;
  }
}

const settled = (outcome: Outcome<JobAnswer>, set: WorkingSet): Outcome<JobAnswer> =>
  'answer' in outcome && outcome.answer.type === 'trace'
    ? { answer: { type: 'trace', trace: set.settled(outcome.answer.trace) } }
    : outcome;

/** Spans that may exist already; an id the service has just made does not. */
function spanIdsOf(job: RowJob): string[] {
  switch (job.type) {
    case 'create_span':
      return job.body.id ? [job.id] : [];
    case 'complete_span':
    case 'fail_span':
    case 'delete_span':
      return [job.id];
    case 'ingest':
      return job.spans.map(({ item }) => item.id);
    case 'record_spans':
      return namedSpans(job).flatMap(({ id, traceId }) => [id, aliasOf(id, traceId)]);
    default:
      return [];
  }
}

/** Traces a job names itself; those of its spans come with the spans. */
function traceIdsOf(job: RowJob): string[] {
  switch (job.type) {
    case 'create_trace':
      return job.body.id ? [job.id] : [];
    case 'patch_trace':
      return [job.id];
    case 'create_span':
      return [job.body.trace_id];
    case 'ingest':
      return [...job.traces.map(({ item }) => item.id), ...job.spans.map(({ item }) => item.trace_id)];
    case 'record_spans':
      return namedSpans(job).map(({ traceId }) => traceId);
    default:
      return [];
  }
}
