import { anyOf, sql } from '@spandrel/storage';
import type { Lists } from '../list-request.sql.js';
import type { ListStrategy } from '../list-strategy.js';

/**
 * Spans whose name contains a text, in start order, where the matching names are few: the first spans of each name by
 * the index on names, merged.
 */
export const namesInOrder: ListStrategy = {
  name: 'names-in-order',

  applies: ({ byStart, query }) => byStart && query.name_contains !== undefined,

  async estimate(list) {
    const names = await list.names();
    if (names === undefined) return undefined;
    const where = list.where();
    const lists: Lists = { type: 'text', values: names, belongs: (name) => sql`s.name = ${name}` };
    return {
      spans: names.length * list.query.limit,
      find: () => ({
        candidates: (part, from, count) => list.first(where, lists, part, from, count),
        where: list.where([], anyOf('s.name', names)),
      }),
    };
  },
};
