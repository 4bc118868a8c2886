import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { ANCESTORS_MAX } from './cover-ancestors.js';
import { spansOfJobs, type FamilySpan } from './family-spans.js';
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

  /** What is known of the parents that records name: their traces say under which id a child finds them. */
  private async loadParents(tx: WriteTx, set: WorkingSet, jobs: readonly RowJob[]): Promise<void> {
    const ids = new Set<string>();
    for (const job of jobs) {
      if (job.type !== 'record_spans') continue;
      for (const { item } of job.records) {
        if (typeof item.parent_id !== 'string') continue;
        ids.add(item.parent_id).add(aliasOf(item.parent_id, item.trace_id));
      }
    }
    const unknown = [...ids].filter((id) => !set.spans.has(id));
    for (const link of await this.spans.links(tx, set.scope, unknown)) set.loadLink(link);
  }

  /** Children that came before a parent which will be stored under another id than they know. */
  private async loadStrayChildren(tx: WriteTx, set: WorkingSet, jobs: readonly RowJob[]): Promise<void> {
    const records = jobs.flatMap((job) => (job.type === 'record_spans' ? namedSpans(job) : []));
    const tracesById = Map.groupBy(records, ({ id }) => id);
    const strays: string[] = [];
    for (const [id, named] of tracesById) {
      const traceIds = new Set(named.map(({ traceId }) => traceId));
      for (const traceId of traceIds) {
        const taken = traceIds.size > 1 || resolvedId(set, id, traceId) !== id;
        if (!taken || set.span(aliasOf(id, traceId))) continue;
        strays.push(...(await this.spans.childrenOf(tx, set.scope, traceId, id)));
      }
    }
    await this.loadWhole(tx, set.scope, set, strays);
  }

  /** Ancestors of spans that may have usage, level by level, up to those that are known to have usage below. */
  private async loadAncestors(tx: WriteTx, set: WorkingSet, spans: readonly FamilySpan[]): Promise<void> {
    const parents = Map.groupBy(spans, ({ id }) => id);
    const starts = spans.filter(({ id, traceId, usage }) => usage || set.marks.has(id, traceId));
    const seen = new Set<string>();
    const visited: string[] = [];
    let level = starts.flatMap(({ parentIds }) => parentIds);
    for (let depth = 0; level.length > 0 && depth < ANCESTORS_MAX; depth++) {
      const stored: string[] = [];
      // Spans of the batch itself are passed without a query.
      for (let at = 0; at < level.length; at++) {
        const id = level[at]!;
        if (seen.has(id)) continue;
        seen.add(id);
        const ofBatch = parents.get(id);
        if (ofBatch) level.push(...ofBatch.flatMap(({ parentIds }) => parentIds));
        else stored.push(id);
      }
      level = [];
      for (const link of await this.spans.links(tx, set.scope, stored)) {
        set.loadLink(link);
        if (isBelow(link) || !isOtlpTraceId(link.traceId)) continue;
        visited.push(link.id);
        if (link.parentId !== null) level.push(link.parentId);
      }
    }
    await this.loadWhole(tx, set.scope, set, visited);
  }

  private async loadWhole(tx: WriteTx, scope: Scope, set: WorkingSet, ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !set.spans.has(id));
    for (const span of await this.spans.loadForWrite(tx, scope, unknown)) set.loadSpan(span.id, span);
  }
}
