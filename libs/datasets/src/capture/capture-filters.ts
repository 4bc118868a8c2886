import { hash } from 'node:crypto';
import { isStorableText, TAGS_TO_ASK_FOR, type CaptureFilters } from '@spandrel/contract';
import { foldAscii } from '@spandrel/storage';
import { STATUS, type StoredSpan } from '@spandrel/tracing';
import type { CaptureRuleRow } from './capture-rule.entity.js';

/** What filters look at in a finished span. */
export type JudgedSpan = Pick<
  StoredSpan,
  'name' | 'status' | 'kindType' | 'model' | 'provider' | 'totalTokens' | 'cost' | 'durationMs'
>;

/** The filters that were given, those that are `null` left out: what a rule keeps and shows. */
export const givenFilters = (filters: CaptureFilters): CaptureFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null && value !== undefined));

/** The filters of a rule as its row keeps them. */
export const storedFilters = (rule: Pick<CaptureRuleRow, 'filters'>): CaptureFilters =>
  JSON.parse(rule.filters) as CaptureFilters;

/**
 * What a rule's filters say of a span alone; all given must hold, as in `GET /api/spans`: exact but for `name_contains`,
 * which ignores the case of ASCII letters, and a span without the value passes no minimum. `tag` belongs to the trace
 * and is left to {@link tagHolds}.
 */
export function spanMatcher(filters: CaptureFilters): (span: JudgedSpan) => boolean {
  const tests = Object.values(spanTests(filters));
  return (span) => tests.every((holds) => holds(span));
}

/** The first of the filters that does not hold of a span; `undefined`: all do. @see spanMatcher */
export const findFailedFilter = (filters: CaptureFilters, span: JudgedSpan): string | undefined =>
  Object.entries(spanTests(filters)).find(([, holds]) => !holds(span))?.[0];

function spanTests(filters: CaptureFilters): Record<string, (span: JudgedSpan) => boolean> {
  const { model, provider, kind, status, name_contains: needle } = filters;
  const { min_cost: cost, min_tokens: tokens, min_duration_ms: durationMs } = filters;
  const nameHolds = isGiven(needle) ? nameMatcher(needle) : () => true;
  return {
    model: (span) => equals(model, span.model),
    provider: (span) => equals(provider, span.provider),
    kind: (span) => equals(kind, span.kindType),
    status: (span) => !isGiven(status) || span.status === STATUS[status],
    min_cost: (span) => reaches(cost, span.cost),
    min_tokens: (span) => reaches(tokens, span.totalTokens),
    min_duration_ms: (span) => reaches(durationMs, span.durationMs),
    name_contains: (span) => nameHolds(span.name),
  };
}

/**
 * Whether the filter `tag` holds; calls of eval runs and of the demo are for rules alone that ask for them
 * (docs/spec/capture-rules.md#calls-of-eval-runs).
 * @param tags of the span's trace.
 */
export const tagHolds = ({ tag }: CaptureFilters, tags: readonly string[]): boolean =>
  (!isGiven(tag) || tags.includes(tag)) && tags.every((each) => each === tag || !TAGS_TO_ASK_FOR.includes(each));

const isGiven = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

const equals = (wanted: string | null | undefined, value: string | null): boolean =>
  !isGiven(wanted) || wanted === value;

const reaches = (least: number | null | undefined, value: number | null): boolean =>
  !isGiven(least) || (value !== null && value >= least);

/** No name holds what a column cannot hold, not even in part: half a surrogate pair is in none. */
function nameMatcher(needle: string): (name: string) => boolean {
  if (!isStorableText(needle)) return () => false;
  const folded = foldAscii(needle);
  return (name) => foldAscii(name).includes(folded);
}

const BYTES = 6;
const RANGE = 2 ** (8 * BYTES);

/**
 * Whether a rule's sample takes a span: the same answer whenever it is asked, and a sample of a higher rate holds every
 * span of a lower one (docs/spec/capture-rules.md#the-sample).
 * @param sampleRate 0 takes none, 1 all.
 */
export function isSampled(ruleId: string, spanId: string, sampleRate: number): boolean {
  if (sampleRate <= 0 || sampleRate >= 1) return sampleRate >= 1;
  return hash('sha256', `${ruleId}:${spanId}`, 'buffer').readUIntBE(0, BYTES) / RANGE < sampleRate;
}
