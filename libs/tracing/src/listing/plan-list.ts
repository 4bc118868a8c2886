import type { ListRequest } from './list-request.sql.js';
import type { FoundList, ListStrategy } from './list-strategy.js';
import { fewSpans } from './strategies/few-spans.sql.js';
import { filterIndex, placeIndex } from './strategies/filter-index.sql.js';
import { namedSpans } from './strategies/named-spans.sql.js';
import { namesInOrder } from './strategies/names-in-order.sql.js';
import { sortIndex } from './strategies/sort-index.sql.js';
import { spansOfFewTraces } from './strategies/spans-of-few-traces.sql.js';
import { valueOrder } from './strategies/value-order.sql.js';
import { valueRange } from './strategies/value-range.sql.js';

/** The strategies in the order in which they are preferred; the last one finds every list. */
export const STRATEGIES: readonly ListStrategy[] = [
  namedSpans,
  spansOfFewTraces,
  fewSpans,
  placeIndex,
  namesInOrder,
  filterIndex,
  valueRange,
  valueOrder,
  sortIndex,
];

/** How a list is found, and by which strategy. */
export interface PlannedList extends FoundList {
  strategy: string;
}

/**
 * Chooses how the spans of a list are found: by the first strategy that can and that is not too dear.
 * @returns `undefined` when nothing can match.
 */
export async function planList(
  list: ListRequest,
  strategies: readonly ListStrategy[] = STRATEGIES,
): Promise<PlannedList | undefined> {
  if (list.isImpossible) return undefined;
  for (const strategy of strategies) {
    const estimate = strategy.applies(list) ? await strategy.estimate(list) : undefined;
    if (estimate?.spans === 0) return undefined;
    if (estimate) return { strategy: strategy.name, ...estimate.find() };
  }
  throw new Error('no strategy finds this list of spans');
}
