import { byWalk, type ListStrategy } from '../list-strategy.js';

/** All spans in the order of an index on start or name, each tested for the filters: what finds every list. */
export const sortIndex: ListStrategy = {
  name: 'sort-index',
  applies: () => true,
  estimate(list) {
    const where = list.where(list.byStart ? ['since', 'until'] : []);
    return Promise.resolve(byWalk(list, list.query.limit, list.walk(where)));
  },
};
