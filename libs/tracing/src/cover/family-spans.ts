import type { SpanKind } from '@spandrel/contract';
import { covers, isBelow, tellsUsage } from './usage-cover.js';
import { restoredCover } from '../write/ingested-with-cover.js';
import { mayBeAliased, resolvedId, resolvedParent } from '../write/span-alias.js';
import type { RowJob } from '../write/tracing-job.js';
import type { WorkingSet } from '../write/working-set.js';

/** A span by its id and its trace. */
export interface SpanOfTrace {
  id: string;
  traceId: string;
}

/** A span that a batch writes, as far as the cover of usage goes. */
export interface FamilySpan extends SpanOfTrace {
  /** The parents that it has and may get. */
  parentIds: string[];
  /** Whether it may have usage, or usage below it. */
  usage: boolean;
}

/** The parents that jobs name and that another id may stand for, as their children name them. */
export const namedParents = (jobs: readonly RowJob[]): SpanOfTrace[] =>
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
export const spansOfJobs = (set: WorkingSet, jobs: readonly RowJob[]): FamilySpan[] =>
  jobs.flatMap((job): FamilySpan[] => {
    switch (job.type) {
      case 'create_span':
        return [familySpan(set, job.id, job.body.trace_id, job.body.parent_id, job.body.kind)];
      case 'complete_span':
      case 'fail_span': {
        const stored = set.span(job.id);
        return stored ? [familySpan(set, job.id, stored.traceId, stored.parentId, job.body.kind)] : [];
      }
      case 'ingest':
        return job.spans.map(({ item }) => {
          const span = familySpan(set, item.id, item.trace_id, item.parent_id, item.kind);
          return { ...span, usage: span.usage || (job.restored === true && isBelow({ cover: restoredCover(item) })) };
        });
      case 'record_spans':
        return [
          ...job.records.map(({ item: { id, trace_id: traceId, parent_id: parentId, kind } }) =>
            familySpan(set, resolvedId(set, id, traceId), traceId, parentId, kind),
          ),
          ...job.amendments.flatMap(({ spanId, traceId }) => {
            const stored = set.span(resolvedId(set, spanId, traceId));
            // What it will tell is known once it is made.
            return stored ? { ...familySpan(set, stored.id, traceId, stored.parentId, null), usage: true } : [];
          }),
        ];
      default:
        return [];
    }
  });

function familySpan(
  set: WorkingSet,
  id: string,
  traceId: string,
  parentId: string | null | undefined,
  kind: SpanKind | null | undefined,
): FamilySpan {
  const stored = set.span(id);
  const parentIds = [parentId, resolvedParent(set, parentId, traceId), stored?.parentId].filter(
    (parent) => typeof parent === 'string',
  );
  return { id, traceId, parentIds, usage: tellsUsage(kind) || (stored !== null && covers(stored)) };
}
