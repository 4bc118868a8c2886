import type { EvalRunSummary, ListedPrice } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { formatCost } from '../../components/format.js';

interface EstimatedCalls {
  calls: number;
  isJudged: boolean;
  prices: ReadonlyMap<string, ListedPrice['price'] | null>;
  /** A run that says how many tokens a sample takes. */
  earlier: EvalRunSummary | undefined;
  /** Bytes of some datapoints, where there is no such run. */
  sizes: readonly number[];
}

const BYTES_OF_TOKEN = 4;
const ANSWER = 300;

/** What a run will cost, as far as that is known its judges too, and what that is based on, in words; `''` where nothing says. */
export function describeCost({ calls, isJudged, prices, earlier, sizes }: EstimatedCalls): string {
  const bytes = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  const input = earlier ? Math.max(0, earlier.total_tokens / earlier.sample_progress - ANSWER) : bytes / BYTES_OF_TOKEN;
  const basis = earlier
    ? `tokens of the run ${earlier.name}`
    : `the size of ${formatCounted(sizes.length, 'datapoint')}`;
  const known = [...prices.values()].filter((price) => price !== null);
  const unknown = [...prices.keys()].filter((model) => prices.get(model) === null);
  const dollars = known.map((price) => (input * rateOf(price['input']) + ANSWER * rateOf(price['output'])) / 1e6);
  const ofJudges = isJudged && earlier?.judge_cost ? earlier.judge_cost / earlier.sample_progress : null;
  const sum = dollars.reduce((before, cost) => before + (cost + (ofJudges ?? 0)) * calls, 0);
  const judges = isJudged ? (ofJudges === null ? ' without judges' : ', judges included') : '';
  const words = known.length === 0 ? '' : `About ${formatCost(sum)}${judges}, estimated from ${basis}. `;
  return `${words}${unknown.length === 0 ? '' : `Price unknown: ${unknown.join(', ')}.`}`.trim();
}

/** Dollars per million tokens; of a price in tiers the first one. */
const rateOf = (price: unknown): number => Number((price as { base?: number }).base ?? price);
