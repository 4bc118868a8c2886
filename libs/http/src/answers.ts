import type { Deleted } from '@spandrel/contract';

interface Page<Item> {
  items: readonly Item[];
  nextCursor: string | null;
}

type ListOf<Plural extends string, Item> = Record<Plural, Item[]> & { count: number; next_cursor: string | null };

/** A page as the wire shows it (docs/spec/general.md#lists). @param shown an item; left out where rows are shown. */
export const listOf = <Plural extends string, Row, Item = Row>(
  plural: Plural,
  { items, nextCursor }: Page<Row>,
  shown = (row: Row) => row as unknown as Item,
): ListOf<Plural, Item> =>
  ({ [plural]: items.map((row) => shown(row)), count: items.length, next_cursor: nextCursor }) as never;

/** The answer of a route that deletes one thing. */
export const deleted = (id: string): Deleted => ({ id, deleted: true });
