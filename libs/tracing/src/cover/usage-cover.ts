import type { SpanKind } from '@spandrel/contract';
import { fromJsonText, objectFromJsonText } from '@spandrel/storage';
import type { SpanRow, StoredSpan } from '../span.entity.js';

/** Bits of the column `cover`. */
export const COVER = {
  /** The span came by OTLP: it may be covered, and is priced whatever its kind. */
  otlp: 1,
  /** Something below it has usage. */
  below: 2,
} as const;

/** Members of a kind that say what a span used; a covered span has them in `metadata.reported_usage`. */
const USAGE_MEMBERS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'reasoning_tokens', 'cost'] as const;

export const isBelow = ({ cover }: Pick<SpanRow, 'cover'>): boolean => ((cover ?? 0) & COVER.below) !== 0;
export const isOtlp = ({ cover }: Pick<SpanRow, 'cover'>): boolean => ((cover ?? 0) & COVER.otlp) !== 0;

/** Whether a span has usage, tokens or cost over 0: zeros cover nothing. */
const hasUsage = ({ totalTokens, cost }: Pick<SpanRow, 'totalTokens' | 'cost'>): boolean =>
  (totalTokens ?? 0) > 0 || (cost ?? 0) > 0;

/** Whether a span covers its ancestors. */
export const covers = (span: SpanRow): boolean => hasUsage(span) || isBelow(span);

/** Whether the kind of a span that is about to be written may tell usage. */
export const tellsUsage = (kind: SpanKind | null | undefined): boolean =>
  !!kind && USAGE_MEMBERS.some((member) => (kind[member] ?? 0) !== 0);

/** Only traces with such an id can have spans that came by OTLP. */
export const isOtlpTraceId = (id: string): boolean => /^[0-9a-f]{32}$/.test(id);

/** Whether a sender of OTLP can have given a span this id. */
export const isOtlpSpanId = (id: string): boolean => /^[0-9a-f]{16}$/.test(id);

/**
 * The id that the sender gave a span, as marks have it: a span whose id another trace has is stored with the id of its
 * trace behind it. @returns `null` for an id that no span of OTLP can have.
 */
export function markedId(id: string, traceId: string): string | null {
  const short = id.endsWith(`.${traceId}`) ? id.slice(0, -traceId.length - 1) : id;
  return isOtlpSpanId(short) ? short : null;
}

/** The span with something below it that has usage: one that came by OTLP no longer counts its own. */
export const withBelow = (span: StoredSpan): StoredSpan =>
  isBelow(span) ? span : coveredForm({ ...span, cover: (span.cover ?? 0) | COVER.below });

/**
 * The form of a span that does not count, if it is covered: its counts and cost stand in `metadata.reported_usage`. Any
 * other span, and one that is in this form already, is given back as it is.
 */
export function coveredForm(span: StoredSpan): StoredSpan {
  if (!isBelow(span) || !isOtlp(span)) return span;
  const kind = fromJsonText(span.kind) as SpanKind;
  const reported = Object.fromEntries(
    USAGE_MEMBERS.filter((member) => kind[member] !== undefined).map((member) => [member, kind[member]]),
  );
  if (Object.keys(reported).length === 0) return span;
  for (const member of USAGE_MEMBERS) delete kind[member];
  const told = Object.values(reported).some((value) => value !== null);
  const metadata = { ...objectFromJsonText(span.metadata), ...(told && { reported_usage: reported }) };
  return {
    ...span,
    kind: JSON.stringify(kind),
    metadata: Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null,
    inputTokens: null,
    outputTokens: null,
    totalTokens: null,
    cost: null,
  };
}
