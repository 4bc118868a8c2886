import { DEFAULT_SPAN_KIND, jsonMembers, memberNames, type SpanKind } from '@spandrel/contract';
import { jsonText, toJsonText } from '@spandrel/storage';
import { isOtlp } from '../cover/usage-cover.js';
import type { PricingTable } from '../pricing.js';
import { spanFacts } from './span-facts.js';
import type { StoredSpan } from '../span.entity.js';
import { STATUS } from '../status.js';

/** What a span is made of. */
export interface SpanDraft {
  projectId: string;
  id: string;
  traceId: string;
  parentId: string | null | undefined;
  name: string;
  kind: SpanKind | null | undefined;
  input: unknown;
  metadata: Record<string, unknown> | null | undefined;
  startedAt: number;
  createHash: string | null;
  /** Bits of `COVER`; none when left out. */
  cover?: number | null;
}

/** A span that starts to run. */
export function newSpan(draft: SpanDraft, pricing: PricingTable): StoredSpan {
  const kind: SpanKind = draft.kind ?? DEFAULT_SPAN_KIND;
  return {
    projectId: draft.projectId,
    id: draft.id,
    traceId: draft.traceId,
    parentId: draft.parentId ?? null,
    name: draft.name,
    status: STATUS.running,
    ...spanFacts(kind, false, pricing, isOtlp({ cover: draft.cover ?? null })),
    startedAt: draft.startedAt,
    endedAt: null,
    durationMs: null,
    createHash: draft.createHash,
    cover: draft.cover ?? null,
    kind: jsonText(kind),
    input: toJsonText(draft.input),
    output: null,
    metadata: metadataText(draft.metadata),
    error: null,
  };
}

/** Metadata as the column keeps them; none is nothing. */
export const metadataText = (metadata: Record<string, unknown> | null | undefined): string | null =>
  metadata && memberNames(metadata).length > 0 ? jsonText(metadata) : null;

/**
 * Metadata that are stored, with those that are added to them or take their place, as the column keeps them. What is stored may be
 * large: it is not parsed.
 */
export function mergedMetadata(stored: string | null, added: Record<string, unknown>): string | null {
  const text = metadataText(added);
  if (stored === null || text === null) return stored ?? text;
  const kept: string[] = [];
  for (const { name, start, end } of jsonMembers(stored)) {
    if (!Object.hasOwn(added, name)) kept.push(stored.slice(start, end));
  }
  return kept.length === 0 ? text : `{${kept.join()},${text.slice(1)}`;
}
