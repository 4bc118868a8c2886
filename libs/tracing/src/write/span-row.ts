import {
  DEFAULT_SPAN_KIND,
  jsonMembers,
  memberNames,
  type SpanKind,
  isStorableText,
  KEY_LENGTH_MAX,
  numberOf,
} from '@spandrel/contract';
import { jsonText, toJsonText } from '@spandrel/storage';
import { invalidRequest } from '@spandrel/kernel';
import { isOtlp } from '../usage-attribution/usage-attribution.js';
import { type PricingTable, estimateCost } from '../pricing.js';
import { type StoredSpan, type SpanRow, STATUS } from '../span.entity.js';

/** What a span is made of. */
interface SpanDraft {
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

/** Stored metadata, which may be large and are not parsed, with those that are added or take their place. */
export function mergedMetadata(stored: string | null, added: Record<string, unknown>): string | null {
  const text = metadataText(added);
  if (stored === null || text === null) return stored ?? text;
  const kept: string[] = [];
  for (const { name, start, end } of jsonMembers(stored)) {
    if (!Object.hasOwn(added, name)) kept.push(stored.slice(start, end));
  }
  return kept.length === 0 ? text : `{${kept.join()},${text.slice(1)}`;
}

/** How a span ends. */
export interface Finish {
  /** `null` completes the span, a message fails it. */
  error: string | null;
  /** When it ended; `undefined` is now, or its start when that is later. */
  endedAt: number | undefined;
  now: number;
  /** Replaces the kind. */
  kind: SpanKind | undefined;
  /** Replaces the output; `undefined` keeps it. */
  output: unknown;
  /** JSON text; replaces the metadata, `undefined` keeps them. */
  metadata: string | null | undefined;
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
  return {
    ...span,
    ...spanFacts(finish.kind ?? currentKind, true, pricing, isOtlp(span)),
    kind: finish.kind === undefined ? span.kind : jsonText(finish.kind),
    output: finish.output === undefined ? span.output : toJsonText(finish.output),
    metadata: finish.metadata === undefined ? span.metadata : finish.metadata,
    error: toJsonText(finish.error),
    status: finish.error === null ? STATUS.completed : STATUS.failed,
    endedAt,
    durationMs: endedAt - span.startedAt,
  };
}

/** @throws Invalid when `endedAt` lies before `startedAt` (docs/spec/spans.md#finishing-a-span). */
export function assertEndAfterStart(startedAt: number, endedAt: number): void {
  if (endedAt >= startedAt) return;
  const message = 'must not lie before started_at';
  throw invalidRequest([{ path: 'ended_at', message }]);
}

/** Kinds that are priced in spans that came by OTLP, where they name a model (docs/spec/otlp.md#prices). */
const PRICED_OTLP_KINDS: readonly string[] = ['llm_call', 'embedding', 'custom'];

/** The columns that a span's kind fills. */
type SpanFacts = Pick<
  SpanRow,
  'kindType' | 'model' | 'provider' | 'inputTokens' | 'outputTokens' | 'totalTokens' | 'cost'
>;

/**
 * What is counted and looked up of a kind. Members that are not of their usual type are kept in the kind but not here.
 * @param finished whether the cost of an `llm_call` may be estimated: before, its tokens are not final.
 * @param otlp whether the span came by OTLP, where more kinds are priced.
 */
export function spanFacts(kind: SpanKind, finished: boolean, pricing: PricingTable, otlp = false): SpanFacts {
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
    cost: amountOrNull(kind['cost']),
  };
  const isPriced = otlp ? PRICED_OTLP_KINDS.includes(kind.type) : kind.type === 'llm_call';
  if (facts.cost !== null || !finished || !isPriced || model === null) return facts;
  const cachedInputTokens = countOrNull(kind['cached_input_tokens']);
  return { ...facts, cost: estimateCost(pricing, model, { inputTokens, outputTokens, cachedInputTokens }) };
}

const keyOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= KEY_LENGTH_MAX && isStorableText(value) ? value : null;

const countOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** The nearest double of an amount with more digits. */
function amountOrNull(value: unknown): number | null {
  const amount = numberOf(value);
  return amount !== undefined && Number.isFinite(amount) && amount >= 0 ? amount : null;
}
