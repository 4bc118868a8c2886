import { byWalk, type ListStrategy } from '../list-strategy.js';

/** Spans of a session or of tags, where these have few traces: looked up by trace and sorted. */
export const spansOfFewTraces: ListStrategy = {
  name: 'spans-of-few-traces',
  applies: ({ ofTraces }) => ofTraces?.few === true,
  estimate: (list) =>
    Promise.resolve(byWalk(list, list.ofTraces?.ids?.length ?? list.query.limit, list.walk(list.where(), true))),
};
