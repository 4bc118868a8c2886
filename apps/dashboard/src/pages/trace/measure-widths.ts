import { formatCount } from '@spandrel/contract/browser';
import { costDigits, formatColumnCost } from '../../components/format.js';
import { measureOf, type TraceSpan } from '../../features/trace-span.js';

/** Pixels of a digit, at the size that lists have. */
const DIGIT = 7.7;
/** Pixels of a header, and of a duration below a minute. */
const LEAST = { duration: 62, tokens: 54, cost: 44 };
const LOOKED_AT = 100;
/** Pixels of `59 min 59 s`. */
const LONG_DURATION = 76;
const MINUTE_MS = 60_000;

/** How wide columns of numbers are, and the decimals of costs: the largest numbers have the longest texts. */
export function measureWidths(spans: readonly Pick<TraceSpan, 'kind' | 'metadata'>[]) {
  const most = (of: (span: (typeof spans)[number]) => unknown): number =>
    spans.reduce((max, span) => Math.max(max, Number(of(span)) || 0), 0);
  const [tokensIn, tokensOut] = [most(({ kind }) => kind.input_tokens), most(({ kind }) => kind.output_tokens)];
  // An arrow takes more than a digit: a blank more.
  const both = tokensIn + tokensOut > 0 ? `${formatCount(tokensIn)} →  ${formatCount(tokensOut)}` : '';
  const digits = costDigits(spans.slice(0, LOOKED_AT).map((span) => measureOf(span, 'cost')));
  const isLong = most((span) => measureOf(span, 'duration_ms')) >= MINUTE_MS - 50;
  const total = most((span) => measureOf(span, 'total_tokens'));
  const cost = most((span) => measureOf(span, 'cost'));
  return {
    digits,
    duration: isLong ? LONG_DURATION : LEAST.duration,
    tokens: widthOf(LEAST.tokens, formatCount(total), both),
    cost: widthOf(LEAST.cost, cost > 0 ? `<${formatColumnCost(cost, digits)}` : ''),
  };
}

const widthOf = (least: number, ...texts: readonly string[]): number =>
  Math.ceil(Math.max(least, ...texts.map(pixelsOf)));

/** Commas, dots and spaces take half of what a digit does. */
const pixelsOf = (text: string): number => (text.length - (text.match(/[,. ]/g)?.length ?? 0) / 2) * DIGIT;
