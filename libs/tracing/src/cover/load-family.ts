import { Injectable } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import { ANCESTORS_MAX } from './cover-ancestors.js';
import { namedParents, spansOfJobs, type FamilySpan, type SpanOfTrace } from './family-spans.js';
import { loadMarks } from './usage-mark.sql.js';
import { isBelow, isOtlpTraceId, markedId } from './usage-cover.js';
import { SpanStore } from '../span.store.js';
import { aliasOf, resolvedId } from '../write/span-alias.js';
import { namedSpans, type RowJob } from '../write/tracing-job.js';
import type { WorkingSet } from '../write/working-set.js';

/**
 * Loads for a batch what the spans of its jobs have to do with: the parents that they name, the marks of those that come,
 * the ancestors that their usage may cover, and children of spans whose id another trace has. Batches without a trace
 * that spans of OTLP can be in load nothing.
 */
@Injectable()
export class LoadFamily {
  constructor(private readonly spans: SpanStore) {}

  /** @param set has the spans and traces that the jobs name. */
  async execute(tx: WriteTx, set: WorkingSet, jobs: readonly RowJob[]): Promise<void> {
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
  private loadParents(tx: WriteTx, set: WorkingSet, jobs: readonly RowJob[]): Promise<void> {
    const ids = namedParents(jobs).flatMap(({ id, traceId }) => [id, aliasOf(id, traceId)]);
    return this.loadLinks(tx, set, ids);
  }

  /** Children that came before a parent which will be stored under another id than they know. */
  private async loadStrayChildren(tx: WriteTx, set: WorkingSet, jobs: readonly RowJob[]): Promise<void> {
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
  private async loadAncestors(tx: WriteTx, set: WorkingSet, spans: readonly FamilySpan[]): Promise<void> {
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

  private async loadLinks(tx: WriteTx, set: WorkingSet, ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => set.link(id) === undefined);
    if (unknown.length === 0) return;
    for (const id of unknown) set.loadLink(id, null);
    for (const link of await this.spans.links(tx, set.scope, unknown)) set.loadLink(link.id, link);
  }

  private async loadWhole(tx: WriteTx, set: WorkingSet, ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !set.spans.has(id));
    if (unknown.length === 0) return;
    for (const span of await this.spans.loadForWrite(tx, set.scope, unknown)) set.loadSpan(span.id, span);
  }
}

const keyOf = ({ id, traceId }: SpanOfTrace): string => `${traceId} ${id}`;

const parentsOf = ({ traceId, parentIds }: Pick<FamilySpan, 'traceId' | 'parentIds'>): SpanOfTrace[] =>
  parentIds.map((id) => ({ id, traceId }));
