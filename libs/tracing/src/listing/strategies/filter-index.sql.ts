import type { ListRequest } from '../list-request.sql.js';
import { byWalk, type ListEstimate, type ListStrategy } from '../list-strategy.js';
import { equalityFilters, isOfOnePlace } from '../span-filter.sql.js';

/** Spans of a trace or of a parent: they lie together, so that an index in another order would be a detour. */
export const placeIndex: ListStrategy = {
  name: 'place-index',
  applies: ({ query }) => equalityFilters(query).some(isOfOnePlace),
  estimate: (list) => Promise.resolve(byFirstFilter(list)),
};

/** Spans of a status, model, provider or kind in start order, by the index that has both. */
export const filterIndex: ListStrategy = {
  name: 'filter-index',
  applies: ({ byStart, query }) => byStart && equalityFilters(query).length > 0,
  estimate: (list) => Promise.resolve(byFirstFilter(list)),
};

/** Finds spans by the index of the filter that is likely the rarest. */
function byFirstFilter(list: ListRequest): ListEstimate {
  const [filter] = equalityFilters(list.query);
  const walk = list.byStart
    ? list.walk(list.where([filter!, 'since', 'until']))
    : list.walk(list.where([filter!]), true);
  return byWalk(list, list.query.limit, walk);
}
