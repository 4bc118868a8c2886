import { formatCount } from '@spandrel/contract/browser';
import { costDigits, formatColumnCost } from '../../components/format.js';
import { measureOf, type TraceSpan } from '../../features/trace-span.js';

/** Pixels of a digit, at the size that lists have. */
const DIGIT = 7.7;
/** Pixels of a header, and of a duration below a minute. */
const LEAST = { duration: 62, tokens: 54, cost: 44 };
/** Spans whose costs are looked at one by one. */
const LOOKED_AT = 100;
/** Pixels of `59 min 59 s`. */
const LONG_DURATION = 76;
const MINUTE_MS = 60_000;

/**
 * How wide the columns with numbers have to be, so that the rest is left to names and times, and the decimals of costs. The
 * largest numbers have the longest texts: nothing is formatted for each of a hundred thousand spans.
 */
export function measureWidths(spans: readonly Pick<TraceSpan, 'kind' | 'metadata'>[]) {
  const most = { duration: 0, tokensIn: 0, tokensOut: 0, tokens: 0, cost: 0 };
  let leastCost = Infinity;
  for (const span of spans) {
    const { input_tokens: tokensIn, output_tokens: tokensOut } = span.kind;
    most.duration = Math.max(most.duration, measureOf(span, 'duration_ms') ?? 0);
    most.tokens = Math.max(most.tokens, measureOf(span, 'total_tokens') ?? 0);
    if (typeof tokensIn === 'number') most.tokensIn = Math.max(most.tokensIn, tokensIn);
    if (typeof tokensOut === 'number') most.tokensOut = Math.max(most.tokensOut, tokensOut);
    const cost = measureOf(span, 'cost') ?? 0;
    most.cost = Math.max(most.cost, cost);
    if (cost > 0) leastCost = Math.min(leastCost, cost);
  }
  const both = `${formatCount(most.tokensIn)} → ${formatCount(most.tokensOut)}`;
  const costs = [
    leastCost === Infinity ? null : leastCost,
    ...spans.slice(0, LOOKED_AT).map((span) => measureOf(span, 'cost')),
  ];
  const digits = costDigits(costs);
  return {
    digits,
    duration: most.duration >= MINUTE_MS - 50 ? LONG_DURATION : LEAST.duration,
    tokens: widthOf(LEAST.tokens, formatCount(most.tokens), most.tokensIn + most.tokensOut > 0 ? both : ''),
    cost: widthOf(LEAST.cost, formatColumnCost(most.cost, digits), formatColumnCost(costs[0], digits)),
  };
}

function widthOf(least: number, ...texts: readonly string[]): number {
  return Math.ceil(Math.max(least, ...texts.map(pixelsOf)));
}

/** Commas, dots and spaces take half of what a digit does; an arrow takes more, as does what stands for `$`. */
function pixelsOf(text: string): number {
  const narrow = text.match(/[,. ]/g)?.length ?? 0;
  const arrows = text.includes('→') ? 1 : 0;
  return (text.length - narrow / 2 + arrows / 2) * DIGIT;
}
