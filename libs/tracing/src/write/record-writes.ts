import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, type AuditedAct } from '@spandrel/audit';
import { isLargeJson } from '@spandrel/contract';
import { DomainError, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import {
  allSettledOrThrow,
  BeginAgain,
  DayPartitions,
  ProjectProtection,
  Storage,
  type GroupCommit,
  type Outcome,
  type WriteTx,
} from '@spandrel/storage';
import { applyJob, type JobAnswer, traceNotFound } from './apply-job.js';
import { prepareLarge, maskJob } from './prepare-job.js';
import { mergeMetadataAhead } from './span-row.js';
import { PRICING, type PricingTable } from '../pricing/pricing.js';
import { isCold, TextsUnavailable } from '../reading/cold-texts.js';
import { ReadStorePort } from '../reading/read-store-port.js';
import { SpanStore } from '../span.store.js';
import { SpanCommitParticipants, type TracingChange } from './span-commit-participant.js';
import { indexedUntil, notePendingTexts } from '../text-index/pending-texts.sql.js';
import type { StoredSpan } from '../span.entity.js';
import { TraceStore } from '../trace.store.js';
import { aliasOf } from './span-alias.js';
import { LoadRelatives } from '../usage-attribution/load-relatives.js';
import { saveMarks } from '../usage-attribution/usage-mark.sql.js';
import {
  isBulkDelete,
  jobWeight,
  namedSpans,
  startsOf,
  type BulkDeleteJob,
  type RowJob,
  type TracingJob,
} from './tracing-job.js';
import { UnitOfWork } from './unit-of-work.js';

/** Spans one statement deletes; between two of them the event loop turns, so that reads and health checks go on. */
const SPANS_PER_STATEMENT = 1_000;

/** Deletes whole traces in one transaction, which readers do not wait for (docs/spec/traces.md#deleting-a-trace). */
@Injectable()
export class DeleteTraces {
  constructor(
    private readonly traces: TraceStore,
    private readonly spans: SpanStore,
    private readonly participants: SpanCommitParticipants,
    private readonly protection: ProjectProtection,
  ) {}

  /** @throws NotFound `trace_not_found`, Conflict `project_protected` for a deletion of all. */
  async execute(tx: WriteTx, job: BulkDeleteJob, changes: TracingChange[]): Promise<JobAnswer> {
    if (job.type === 'delete_all') return this.all(tx, job.scope, changes);
    const [trace] = await this.traces.loadForWrite(tx, job.scope, [job.id]);
    if (!trace) throw traceNotFound();
    await this.participants.beforeDelete(tx, { scope: job.scope, traceId: trace.id });
    const spansDeleted = await this.spansOf(tx, job.scope, trace.id);
    await this.traces.deleteSome(tx, job.scope, [trace]);
    changes.push({ type: 'trace_deleted', scope: job.scope, trace });
    return { type: 'deleted', spansDeleted, tracesDeleted: 1 };
  }

  private async spansOf(tx: WriteTx, scope: Scope, traceId: string): Promise<number> {
    let deleted = 0;
    for (;;) {
      const ids = await this.spans.idsOfTrace(tx, scope, traceId, SPANS_PER_STATEMENT);
      if (ids.length === 0) return deleted;
      await this.spans.delete(tx, scope, ids);
      deleted += ids.length;
      await nextTurn();
    }
  }

  private async all(tx: WriteTx, scope: Scope, changes: TracingChange[]): Promise<JobAnswer> {
    await this.protection.assertUnprotected(tx, scope);
    const deleted = await this.traces.deleteAll(tx, scope);
    changes.push({ type: 'cleared', scope });
    return { type: 'deleted', tracesDeleted: deleted.traces, spansDeleted: deleted.spans };
  }
}

/** Does a batch of jobs in one transaction: loads their rows, applies the jobs in memory in their order, writes. */
@Injectable()
export class WriteBatch {
  constructor(
    private readonly traces: TraceStore,
    private readonly spans: SpanStore,
    private readonly deletes: DeleteTraces,
    private readonly participants: SpanCommitParticipants,
    private readonly family: LoadRelatives,
    private readonly audit: AuditTrail,
  ) {}

  /** @returns a job's own error as its outcome. @throws whatever loses the transaction. */
  async apply(tx: WriteTx, jobs: readonly TracingJob[], pricing: PricingTable): Promise<Outcome<JobAnswer>[]> {
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
    return outcomes;
  }

  private async applyRun(
    tx: WriteTx,
    jobs: readonly RowJob[],
    pricing: PricingTable,
    changes: TracingChange[],
  ): Promise<Outcome<JobAnswer>[]> {
    const sets = new Map<string, UnitOfWork>();
    const scopes = new Map(jobs.map(({ scope }) => [scope.projectId, scope]));
    // In one order in all instances, so that none waits for another that waits for it.
    for (const [, scope] of [...scopes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const ofProject = jobs.filter((job) => job.scope.projectId === scope.projectId);
      sets.set(scope.projectId, await this.load(tx, scope, ofProject, changes));
    }
    const outcomes: Outcome<JobAnswer>[] = [];
    for (const job of jobs) {
      outcomes.push(await outcomeOf(() => applyTo(sets.get(job.scope.projectId)!, job, pricing)));
    }
    for (const set of sets.values()) await this.save(tx, set);
    return outcomes.map((outcome, index) => settled(outcome, sets.get(jobs[index]!.scope.projectId)!));
  }

  private async load(
    tx: WriteTx,
    scope: Scope,
    jobs: readonly RowJob[],
    changes: TracingChange[],
  ): Promise<UnitOfWork> {
    const set = new UnitOfWork(scope, changes);
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
      const watermark = indexedUntil(tx, scope);
      await allSettledOrThrow(locking, placing, watermark);
      set.indexedUntil = await watermark;
      const places = await placing;
      for (const trace of await locking) set.loadTrace(trace.id, trace);
      spans = await this.spans.loadLocked(tx, scope, spanIds, places);
      await this.assertLocked(tx, set, spans);
    } else {
      set.indexedUntil = await indexedUntil(tx, scope);
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
  private async assertLocked(tx: WriteTx, set: UnitOfWork, spans: readonly StoredSpan[]): Promise<void> {
    const late = new Set(spans.flatMap(({ traceId }) => (set.traces.has(traceId) ? [] : traceId)));
    if (late.size > 0 && (await this.traces.exist(tx, set.scope, [...late]))) {
      throw new BeginAgain('a trace came while others were locked');
    }
  }

  private async save(tx: WriteTx, set: UnitOfWork): Promise<void> {
    const traces = [...set.traces.values()];
    const saving = allSettledOrThrow(
      this.spans.save(tx, set.scope, set.spans.values()),
      saveMarks(tx, set.scope, set.marks),
      notePendingTexts(tx, set.scope, set.indexedUntil, set.spans.values()),
    );
    if (!traces.some(({ recount }) => recount)) {
      await allSettledOrThrow(saving, this.traces.save(tx, traces));
      return;
    }
    await saving;
    await this.spans.recountEnds(tx, set.scope, traces);
    await this.traces.save(tx, traces);
  }
}

type AnswerOf<Type extends JobAnswer['type']> = Extract<JobAnswer, { type: Type }>;

/** Items of one job of an ingest, a transaction: on SQLite a fifth of a large request, which holds the event loop 25 ms. */
const JOB_ITEMS = { sqlite: 512, postgres: 1_024 };

/** Records of one job: on SQLite a span waits 10 to 15 ms for it; half as many took a third more CPU a span. */
const JOB_RECORDS = { sqlite: 128, postgres: 1_024 };

/** Rows from which on a job is so large that others do not wait behind it. */
const LARGE_ROWS = 128;

/** How often texts are brought back for one job: somebody may take them away again before it is done. */
const ATTEMPTS = 3;

/** The one way in which traces and spans are written: masked by the rules of their project, through one group commit. */
@Injectable()
export class RecordWrites {
  /** Items of an ingest that one job should have at most. */
  readonly jobItems: number;
  /** Records of spans that one job should have at most. */
  readonly jobRecords: number;
  private readonly group: GroupCommit<TracingJob, JobAnswer>;

  constructor(
    storage: Storage,
    batch: WriteBatch,
    @Inject(PRICING) pricing: PricingTable,
    private readonly partitions: DayPartitions,
    private readonly masking: ProjectMasking,
    private readonly spans: SpanStore,
    private readonly readStore: ReadStorePort,
  ) {
    this.jobItems = JOB_ITEMS[storage.dialect];
    this.jobRecords = JOB_RECORDS[storage.dialect];
    this.group = storage.groupCommit<TracingJob, JobAnswer>({
      apply: (tx, jobs) => batch.apply(tx, jobs, pricing),
      // Rows of a transaction are locked in one order; a bulk delete beside other jobs would begin that order again.
      weigh: (job) => (!storage.exclusive && isBulkDelete(job) ? Number.MAX_SAFE_INTEGER : jobWeight(job)),
      isLarge: (job) => jobWeight(job) >= LARGE_ROWS,
    });
  }

  /**
   * @param answer which kind of answer the job gets.
   * @returns it, once the write is durable. @throws the domain error of the job, or Unavailable.
   */
  async execute<Type extends JobAnswer['type']>(job: TracingJob, answer: Type): Promise<AnswerOf<Type>> {
    const preparing = this.partitions.prepare(startsOf(job));
    if (preparing) await preparing;
    const rules = this.masking.of(job.scope);
    const masking = rules instanceof Promise ? await rules : rules;
    const stored = masking ? masking.run((calls) => maskJob(calls, job, masking)) : job;
    const masked = stored instanceof Promise ? await stored : stored;
    const large = prepareLarge(masked);
    const prepared = large ? await large : masked;
    if (large) await this.mergeAhead(prepared);
    const given = await this.submit(prepared);
    // A large answer is written in a turn of its own, not in that of the transaction.
    if (large) await nextTurn();
    if (given.type !== answer) throw new Error(`${job.type} answered ${given.type}`);
    return given as AnswerOf<Type>;
  }

  /** Large metadata are merged before the transaction, which would be held up by it. */
  private async mergeAhead(job: TracingJob): Promise<void> {
    const added = job.type === 'complete_span' ? job.body.metadata : undefined;
    if (job.type !== 'complete_span' || !added || !isLargeJson(added)) return;
    const span = await this.spans.find(job.scope, job.id);
    if (span) await mergeMetadataAhead(span.metadata, added);
  }

  /** Has a job done once the texts that it needs are in the database. */
  private async submit(job: TracingJob): Promise<JobAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.group.submit(job);
      } catch (error) {
        if (!(error instanceof TextsUnavailable) || attempt === ATTEMPTS) throw error;
        await this.spans.bringBack(job.scope, error.ids, this.readStore);
      }
    }
  }
}

/** @throws TextsUnavailable when the job needs texts that are not in the database: they are to be brought back first. */
function applyTo(set: UnitOfWork, job: RowJob, pricing: PricingTable): JobAnswer {
  const cold = NEEDS_TEXTS.has(job.type) ? spanIdsOf(job).filter((id) => isCold(set.span(id) ?? NOT_THERE)) : [];
  if (cold.length > 0) throw new TextsUnavailable(cold);
  return applyJob(set, job, pricing);
}

/** Jobs that look at texts, or may write them. */
const NEEDS_TEXTS: ReadonlySet<RowJob['type']> = new Set(['complete_span', 'fail_span', 'ingest', 'record_spans']);
const NOT_THERE = { coldDigest: null };

async function outcomeOf<Answer>(work: () => Answer | Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    return { answer: await work() };
  } catch (error) {
    if (error instanceof DomainError) return { error };
    throw error;
  }
}

const settled = (outcome: Outcome<JobAnswer>, set: UnitOfWork): Outcome<JobAnswer> =>
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
    case 'reprice_spans':
      return [...job.spanIds];
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

/** What the audit log has of a job that deleted something; `undefined` for other jobs, and where nothing was done. */
function auditedDeletion(job: TracingJob, outcome: Outcome<JobAnswer>): AuditedAct | undefined {
  if (!('answer' in outcome)) return undefined;
  const { answer } = outcome;
  if (job.type === 'delete_span') {
    const details = answer.type === 'span' ? { trace_id: answer.span.traceId } : {};
    return { action: 'span.deleted', ...job.scope, context: job.context, targetId: job.id, details };
  }
  if (answer.type !== 'deleted' || !isBulkDelete(job)) return undefined;
  const [targetId, action, deleted] =
    job.type === 'delete_trace'
      ? [job.id, 'trace.deleted' as const, {}]
      : [job.scope.projectId, 'traces.deleted' as const, { traces_deleted: answer.tracesDeleted }];
  const details = { ...deleted, spans_deleted: answer.spansDeleted };
  return { action, ...job.scope, context: job.context, targetId, details };
}
