import { Injectable } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import type { SpanKind } from '@spandrel/contract';
import { ANCESTORS_MAX, isBelow, isOtlpTraceId, markedId, covers, mayReportUsage } from './usage-attribution.js';
import { loadMarks } from './usage-mark.sql.js';
import { SpanStore } from '../span.store.js';
import { aliasOf, resolvedId, mayBeAliased, resolvedParent } from '../write/span-alias.js';
import { namedSpans, type RowJob } from '../write/tracing-job.js';
import type { UnitOfWork } from '../write/unit-of-work.js';
import { restoredUsageBits } from '../write/apply-ingest.js';

/**
 * Loads for a batch what its spans have to do with: the parents that they name, the marks of those that come, the ancestors
 * that their usage may cover, and children of spans whose id another trace has.
 */
@Injectable()
export class LoadRelatives {
  constructor(private readonly spans: SpanStore) {}

  /** @param set has the spans and traces that the jobs name. */
  async execute(tx: WriteTx, set: UnitOfWork, jobs: readonly RowJob[]): Promise<void> {
    await this.loadParents(tx, set, jobs);
    await this.loadStrayChildren(tx, set, jobs);
    const spans = spansOfJobs(set, jobs).filter(({ traceId }) => isOtlpTraceId(traceId));
    if (spans.length === 0) return;
    const asked = spans.flatMap(({ id, traceId }) => {
      const spanId = markedId(id, traceId);
      return spanId === null ? [] : { traceId, spanId };
    });
    for (const mark of await loadMarks(tx, set.scope, asked)) set.marks.load(mark);
    await this.loadAncestors(tx, set, spans);
  }

  /** What is known of the parents that spans name: their traces say under which id a child finds them. */
  private loadParents(tx: WriteTx, set: UnitOfWork, jobs: readonly RowJob[]): Promise<void> {
    const ids = namedParents(jobs).flatMap(({ id, traceId }) => [id, aliasOf(id, traceId)]);
    return this.loadLinks(tx, set, ids);
  }

  /** Children that came before a parent which will be stored under another id than they know. */
  private async loadStrayChildren(tx: WriteTx, set: UnitOfWork, jobs: readonly RowJob[]): Promise<void> {
    const records = jobs.flatMap((job) => (job.type === 'record_spans' ? namedSpans(job) : []));
    const tracesById = Map.groupBy(records, ({ id }) => id);
    const aliased: SpanOfTrace[] = [];
    for (const [id, named] of tracesById) {
      const traceIds = new Set(named.map(({ traceId }) => traceId));
      for (const traceId of traceIds) {
        const taken = traceIds.size > 1 || resolvedId(set, id, traceId) !== id;
        if (taken && !set.span(aliasOf(id, traceId))) aliased.push({ id, traceId });
      }
    }
    await this.loadWhole(tx, set, await this.spans.childrenOf(tx, set.scope, aliased));
  }

  /** Ancestors of spans that may have usage, level by level, up to those that are known to have usage below. */
  private async loadAncestors(tx: WriteTx, set: UnitOfWork, spans: readonly BatchSpan[]): Promise<void> {
    const ofBatch = Map.groupBy(spans, ({ id, traceId }) => keyOf({ id, traceId }));
    const seen = new Set<string>();
    const visited: string[] = [];
    let level = spans.filter(({ id, traceId, usage }) => usage || set.marks.has(id, traceId)).flatMap(parentsOf);
    for (let depth = 0; level.length > 0 && depth < ANCESTORS_MAX; depth++) {
      const stored: SpanOfTrace[] = [];
      // Spans of the batch itself are passed without a query.
      for (let at = 0; at < level.length; at++) {
        const span = level[at]!;
        if (seen.has(keyOf(span))) continue;
        seen.add(keyOf(span));
        const written = ofBatch.get(keyOf(span));
        if (written) level.push(...written.flatMap(parentsOf));
        else stored.push(span);
      }
      await this.loadLinks(
        tx,
        set,
        stored.map(({ id }) => id),
      );
      level = [];
      for (const { id, traceId } of stored) {
        const link = set.link(id);
        if (link?.traceId !== traceId || isBelow(link)) continue;
        visited.push(id);
        level.push(...parentsOf({ traceId, parentIds: link.parentId === null ? [] : [link.parentId] }));
      }
    }
    await this.loadWhole(tx, set, visited);
  }

  private async loadLinks(tx: WriteTx, set: UnitOfWork, ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => set.link(id) === undefined);
    if (unknown.length === 0) return;
    for (const id of unknown) set.loadLink(id, null);
    for (const link of await this.spans.links(tx, set.scope, unknown)) set.loadLink(link.id, link);
  }

  private async loadWhole(tx: WriteTx, set: UnitOfWork, ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !set.spans.has(id));
    if (unknown.length === 0) return;
    for (const span of await this.spans.loadForWrite(tx, set.scope, unknown)) set.loadSpan(span.id, span);
  }
}

const keyOf = ({ id, traceId }: SpanOfTrace): string => `${traceId} ${id}`;

const parentsOf = ({ traceId, parentIds }: Pick<BatchSpan, 'traceId' | 'parentIds'>): SpanOfTrace[] =>
  parentIds.map((id) => ({ id, traceId }));

/** A span by its id and its trace. */
interface SpanOfTrace {
  id: string;
  traceId: string;
}

/** A span that a batch writes, as far as the cover of usage goes. */
interface BatchSpan extends SpanOfTrace {
  /** The parents that it has and may get. */
  parentIds: string[];
  /** Whether it may have usage, or usage below it. */
  usage: boolean;
}

/** The parents that jobs name and that another id may stand for, as their children name them. */
const namedParents = (jobs: readonly RowJob[]): SpanOfTrace[] =>
  jobs.flatMap((job): SpanOfTrace[] => {
    switch (job.type) {
      case 'create_span':
        return namedParent(job.body);
      case 'ingest':
        return job.spans.flatMap(({ item }) => namedParent(item));
      case 'record_spans':
        return job.records.flatMap(({ item }) => namedParent(item));
      default:
        return [];
    }
  });

function namedParent(span: { trace_id: string; parent_id?: string | null | undefined }): SpanOfTrace[] {
  const { trace_id: traceId, parent_id: id } = span;
  return typeof id === 'string' && mayBeAliased(id, traceId) ? [{ id, traceId }] : [];
}

/** The spans that jobs write. @param set has them as they are stored. */
const spansOfJobs = (set: UnitOfWork, jobs: readonly RowJob[]): BatchSpan[] =>
  jobs.flatMap((job): BatchSpan[] => {
    switch (job.type) {
      case 'create_span':
        return [batchSpan(set, job.id, job.body.trace_id, job.body.parent_id, job.body.kind)];
      case 'complete_span':
      case 'fail_span': {
        const stored = set.span(job.id);
        return stored ? [batchSpan(set, job.id, stored.traceId, stored.parentId, job.body.kind)] : [];
      }
      case 'ingest':
        return job.spans.map(({ item }) => {
          const span = batchSpan(set, item.id, item.trace_id, item.parent_id, item.kind);
          return {
            ...span,
            usage: span.usage || (job.restored === true && isBelow({ cover: restoredUsageBits(item) })),
          };
        });
      case 'record_spans':
        return [
          ...job.records.map(({ item: { id, trace_id: traceId, parent_id: parentId, kind } }) =>
            batchSpan(set, resolvedId(set, id, traceId), traceId, parentId, kind),
          ),
          ...job.amendments.flatMap(({ spanId, traceId }) => {
            const stored = set.span(resolvedId(set, spanId, traceId));
            // What it will report is known once it is made.
            return stored ? { ...batchSpan(set, stored.id, traceId, stored.parentId, null), usage: true } : [];
          }),
        ];
      case 'reprice_spans':
        return job.spanIds.flatMap((id) => {
          const stored = set.span(id);
          // A cost may be the first usage that it has.
          return stored ? { ...batchSpan(set, id, stored.traceId, stored.parentId, null), usage: true } : [];
        });
      default:
        return [];
    }
  });

function batchSpan(
  set: UnitOfWork,
  id: string,
  traceId: string,
  parentId: string | null | undefined,
  kind: SpanKind | null | undefined,
): BatchSpan {
  const stored = set.span(id);
  const parentIds = [parentId, resolvedParent(set, parentId, traceId), stored?.parentId].filter(
    (parent) => typeof parent === 'string',
  );
  return { id, traceId, parentIds, usage: mayReportUsage(kind) || (stored !== null && covers(stored)) };
}
