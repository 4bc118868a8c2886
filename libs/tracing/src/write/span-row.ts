import {
  DEFAULT_SPAN_KIND,
  findMember,
  jsonMembers,
  memberNames,
  type CreateSpan,
  type SpanKind,
} from '@spandrel/contract';
import { jsonText, toJsonText } from '@spandrel/storage';
import { atOnce, inTurns, invalidRequest } from '@spandrel/kernel';
import { amountOrNull, countOrNull, isPricedKind, keyOrNull, usageOfKind } from '../pricing/cost-of-span.js';
import { NO_METADATA_VALUES } from '../metadata/metadata.entity.js';
import { COVER, isOtlp } from '../usage-attribution/usage-attribution.js';
import { type PricingTable, estimateCost } from '../pricing/pricing.js';
import { type StoredSpan, type SpanRow, STATUS } from '../span.entity.js';

/** A span that starts to run. @param place what its request does not say of it. */
export function newSpan(
  body: Pick<CreateSpan, 'trace_id' | 'parent_id' | 'name' | 'kind' | 'input' | 'metadata'>,
  place: Pick<SpanRow, 'projectId' | 'id' | 'startedAt' | 'createHash' | 'cover'>,
  pricing: PricingTable,
): StoredSpan {
  const kind: SpanKind = body.kind ?? DEFAULT_SPAN_KIND;
  return {
    ...place,
    traceId: body.trace_id,
    parentId: body.parent_id ?? null,
    name: body.name,
    status: STATUS.running,
    ...spanFacts(kind, null, pricing, isOtlp(place)),
    endedAt: null,
    durationMs: null,
    ...NO_METADATA_VALUES,
    kind: jsonText(kind),
    input: toJsonText(body.input),
    output: null,
    metadata: metadataText(body.metadata),
    error: null,
    coldDigest: null,
  };
}

/** Metadata as the column keeps them; none is nothing. */
export const metadataText = (metadata: Record<string, unknown> | null | undefined): string | null =>
  metadata && memberNames(metadata).length > 0 ? jsonText(metadata) : null;

/** What stored metadata became with those that are added, which may take long: to look up 100,000 names takes 25 ms. */
const mergedAhead = new WeakMap<object, { stored: string | null; merged: string | null }>();

/** Merges in turns with others what {@link mergedMetadata} then gives, if the stored ones are still the same. */
export async function mergeMetadataAhead(stored: string | null, added: Record<string, unknown>): Promise<void> {
  mergedAhead.set(added, { stored, merged: await inTurns(mergeInPieces(stored, added)) });
}

/** Stored metadata, which may be large and are not parsed, with those that are added or take their place. */
export function mergedMetadata(stored: string | null, added: Record<string, unknown>): string | null {
  const ahead = mergedAhead.get(added);
  return ahead?.stored === stored ? ahead.merged : atOnce(mergeInPieces(stored, added));
}

const NAMES_AT_ONCE = 512;

function* mergeInPieces(stored: string | null, added: Record<string, unknown>): Generator<void, string | null> {
  const text = metadataText(added);
  if (stored === null || text === null) return stored ?? text;
  let looked = 0;
  const kept: string[] = [];
  // Members that stay one after the other stay one text.
  let from = -1;
  let to = -1;
  const keep = (): void => {
    if (from !== -1) kept.push(stored.slice(from, to));
    from = -1;
  };
  for (const { name, start, end } of jsonMembers(stored)) {
    if (Object.hasOwn(added, name)) keep();
    else if (from === -1) from = start;
    to = end;
    if (++looked % NAMES_AT_ONCE === 0) yield;
  }
  keep();
  return kept.length === 0 ? text : `{${kept.join()},${text.slice(1)}`;
}

export interface Finish {
  /** `null` completes the span, a message fails it. */
  error: string | null;
  /** When it ended; nothing is now, or its start when that is later. */
  endedAt: number | null | undefined;
  now: number;
  /** Replaces the kind. */
  kind?: SpanKind | null | undefined;
  /** Replaces the output; `undefined` keeps it. */
  output: unknown;
  /** JSON text; replaces the metadata, `undefined` keeps them. */
  metadata?: string | null | undefined;
}

/**
 * The finished form of a running span. The cost is estimated here, when the tokens are final.
 * @param currentKind the span's kind as it is stored.
 * @throws Invalid when it would end before it started.
 */
export function finishedSpan(
  span: StoredSpan,
  finish: Finish,
  currentKind: SpanKind,
  pricing: PricingTable,
): StoredSpan {
  const endedAt = finish.endedAt ?? Math.max(finish.now, span.startedAt);
  assertEndAfterStart(span.startedAt, endedAt);
  return withCostOrigin({
    ...span,
    ...spanFacts(finish.kind ?? currentKind, span.startedAt, pricing, isOtlp(span)),
    kind: finish.kind ? jsonText(finish.kind) : span.kind,
    output: finish.output === undefined ? span.output : toJsonText(finish.output),
    metadata: finish.metadata === undefined ? span.metadata : finish.metadata,
    error: toJsonText(finish.error),
    status: finish.error === null ? STATUS.completed : STATUS.failed,
    endedAt,
    durationMs: endedAt - span.startedAt,
  });
}

/** The finished span with the mark of a cost that its provider reported, which the metadata of such a span say. */
export function withCostOrigin(span: StoredSpan): StoredSpan {
  const isProviders = span.cost !== null && saysProvider(span.metadata);
  if (isProviders === (((span.cover ?? 0) & COVER.providerCost) !== 0)) return span;
  return { ...span, cover: (span.cover ?? 0) ^ COVER.providerCost || null };
}

/** Whether metadata, which may be large and are not parsed, have `cost_source: "provider"`. */
function saysProvider(metadata: string | null): boolean {
  if (!metadata?.includes('"cost_source"')) return false;
  const said = findMember(metadata, 'cost_source');
  return said !== undefined && metadata.slice(said.valueStart, said.end).trim() === '"provider"';
}

/** @throws Invalid when `endedAt` lies before `startedAt` (docs/spec/spans.md#finishing-a-span). */
export function assertEndAfterStart(startedAt: number, endedAt: number): void {
  if (endedAt >= startedAt) return;
  const message = 'must not lie before started_at';
  throw invalidRequest([{ path: 'ended_at', message }]);
}

/** The columns that a span's kind fills. */
type SpanFacts = Pick<
  SpanRow,
  'kindType' | 'model' | 'provider' | 'inputTokens' | 'outputTokens' | 'totalTokens' | 'cachedTokens' | 'cost'
>;

/**
 * What is counted and looked up of a kind. Members that are not of their usual type are kept in the kind but not here.
 * @param at when the span began, by which its cost may be estimated; `null` while it runs: its tokens are not final.
 * @param otlp whether the span came by OTLP, where more kinds are priced.
 */
export function spanFacts(kind: SpanKind, at: number | null, pricing: PricingTable, otlp = false): SpanFacts {
  const model = keyOrNull(kind['model']);
  const inputTokens = countOrNull(kind['input_tokens']);
  const outputTokens = countOrNull(kind['output_tokens']);
  const facts: SpanFacts = {
    kindType: kind.type,
    model,
    provider: keyOrNull(kind['provider']),
    inputTokens,
    outputTokens,
    totalTokens: inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0),
    cachedTokens: countOrNull(kind['cached_input_tokens']),
    cost: amountOrNull(kind['cost']),
  };
  if (facts.cost !== null || at === null || model === null || !isPricedKind(kind.type, otlp)) return facts;
  return { ...facts, cost: estimateCost(pricing, model, usageOfKind(kind), at) };
}

/** Whether two forms of a span are equal, members and columns alike. */
export const sameSpan = (a: StoredSpan, b: StoredSpan): boolean =>
  (Object.keys(a) as (keyof StoredSpan)[]).every((member) => a[member] === b[member]);
