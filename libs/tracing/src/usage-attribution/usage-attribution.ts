import type { SpanKind } from '@spandrel/contract';
import { USAGE_COUNTS } from '@spandrel/plugin-api';
import { fromJsonText, objectFromJsonText } from '@spandrel/storage';
import type { SpanRow, StoredSpan } from '../span.entity.js';

/** Bits of the column `cover`. */
export const COVER = {
  /** The span came by OTLP: it may be covered, and is priced whatever its kind. */
  otlp: 1,
  /** Something below it has usage. */
  below: 2,
  /** The cost in its kind is what the provider reported in the answer. */
  providerCost: 4,
} as const;

/** Members of a kind that say how much a span used. */
const AMOUNTS = [...Object.values(USAGE_COUNTS), 'cost'] as const;

/** Members of a kind that say what a span used; a covered span has them in `metadata.reported_usage`. */
const USAGE_MEMBERS = [...AMOUNTS, 'service_tier'] as const;

export const isBelow = ({ cover }: Pick<SpanRow, 'cover'>): boolean => ((cover ?? 0) & COVER.below) !== 0;
export const isOtlp = ({ cover }: Pick<SpanRow, 'cover'>): boolean => ((cover ?? 0) & COVER.otlp) !== 0;

/** Whether a span has usage, tokens or cost over 0: zeros cover nothing. */
const hasUsage = ({ totalTokens, cost }: Pick<SpanRow, 'totalTokens' | 'cost'>): boolean =>
  (totalTokens ?? 0) > 0 || (cost ?? 0) > 0;

/** Whether a span covers its ancestors. */
export const covers = (span: SpanRow): boolean => hasUsage(span) || isBelow(span);

/** Whether the kind of a span that is about to be written may report usage. */
export const mayReportUsage = (kind: SpanKind | null | undefined): boolean =>
  !!kind && AMOUNTS.some((member) => (kind[member] ?? 0) !== 0);

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
  const isReported = Object.values(reported).some((value) => value !== null);
  const metadata = { ...objectFromJsonText(span.metadata), ...(isReported && { reported_usage: reported }) };
  return {
    ...span,
    kind: JSON.stringify(kind),
    metadata: Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null,
    inputTokens: null,
    outputTokens: null,
    totalTokens: null,
    cachedTokens: null,
    cost: null,
  };
}

export interface SpanNode {
  readonly parentId: string | null;
  /** Whether something below it has usage, as far as is known. */
  readonly below: boolean;
}

/** The spans of one trace, as the walk sees and changes them. */
export interface SpanTree {
  /** @returns `null` for a span that is not there. */
  find(id: string): SpanNode | null;
  /** Notes that something below a span has usage. */
  setBelow(id: string): void;
  /** Notes the same for a span that is not there, for when it comes. */
  mark(id: string): void;
}

/** Ancestors that one walk visits; as many levels are loaded for a batch. */
export const ANCESTORS_MAX = 1_000;

/**
 * Notes at all ancestors of a span that something below them has usage, up to one that is known to have; the first that is
 * not there yet is marked (docs/adr/0024-otlp-usage-counts-once.md). Call it for a span that has usage itself, or has
 * something below that has: when it comes, when that begins to be so, and when its parent changes.
 * Parents in a circle end the walk, as each is visited once.
 */
export function attributeToDescendant(tree: SpanTree, parentId: string | null): void {
  let id = parentId;
  for (let steps = 0; id !== null && steps < ANCESTORS_MAX; steps++) {
    const node = tree.find(id);
    if (!node) {
      tree.mark(id);
      return;
    }
    if (node.below) return;
    tree.setBelow(id);
    id = node.parentId;
  }
}

/** A mark: something below a span that is not there has usage. */
export interface UsageMark {
  traceId: string;
  /** The id that the sender gave. */
  spanId: string;
}

/** The marks that a transaction finds, takes and makes. */
export class UsageMarks {
  /** By trace and span; whether the table has it, and whether it shall. */
  private readonly marks = new Map<string, UsageMark & { stored: boolean; kept: boolean }>();

  load(mark: UsageMark): void {
    this.marks.set(markKey(mark), { ...mark, stored: true, kept: true });
  }

  has(id: string, traceId: string): boolean {
    const spanId = markedId(id, traceId);
    return spanId !== null && (this.marks.get(markKey({ traceId, spanId }))?.kept ?? false);
  }

  add(id: string, traceId: string): void {
    const spanId = markedId(id, traceId);
    if (spanId === null) return;
    const mark = { traceId, spanId };
    this.marks.set(markKey(mark), { ...mark, stored: this.marks.get(markKey(mark))?.stored ?? false, kept: true });
  }

  /** Takes the mark of a span that has come. @returns whether it had one. */
  take(id: string, traceId: string): boolean {
    if (!this.has(id, traceId)) return false;
    const key = markKey({ traceId, spanId: markedId(id, traceId)! });
    this.marks.set(key, { ...this.marks.get(key)!, kept: false });
    return true;
  }

  /** Marks to be written, in the order of their keys; some of them may be in the table already. */
  get made(): UsageMark[] {
    return inOrder([...this.marks.values()].filter(({ stored, kept }) => kept && !stored));
  }

  get taken(): UsageMark[] {
    return [...this.marks.values()].filter(({ stored, kept }) => stored && !kept);
  }
}

/** Transactions that both make a trace wait for each other at the marks they have in common, which all write in one order. */
const inOrder = <Mark extends UsageMark>(marks: readonly Mark[]): Mark[] =>
  marks.toSorted((a, b) => (`${a.traceId} ${a.spanId}` < `${b.traceId} ${b.spanId}` ? -1 : 1));

const markKey = ({ traceId, spanId }: UsageMark): string => `${spanId} ${traceId}`;
