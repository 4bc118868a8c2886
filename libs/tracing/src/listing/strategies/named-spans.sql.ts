import { byWalk, type ListStrategy } from '../list-strategy.js';

/** Spans that are named by their ids: looked up and sorted. */
export const namedSpans: ListStrategy = {
  name: 'named-spans',
  applies: ({ query }) => query.ids !== undefined,
  estimate: (list) => Promise.resolve(byWalk(list, list.query.ids?.length ?? 0, list.walk(list.where(), true))),
};
