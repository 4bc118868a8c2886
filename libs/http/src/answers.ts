import type { Deleted } from '@spandrel/contract';

interface Page<Item> {
  items: readonly Item[];
  nextCursor: string | null;
}

type ListOf<Plural extends string, Item> = Record<Plural, Item[]> & { count: number; next_cursor: string | null };

/**
 * A page as the wire shows it (docs/spec/general.md#lists).
 * @param plural the name of the list. @param shown an item as the wire shows it; left out where it is one already.
 */
export function listOf<Plural extends string, Item>(plural: Plural, page: Page<Item>): ListOf<Plural, Item>;
export function listOf<Plural extends string, Row, Item>(
  plural: Plural,
  page: Page<Row>,
  shown: (row: Row) => Item,
): ListOf<Plural, Item>;
export function listOf(
  plural: string,
  { items, nextCursor }: Page<unknown>,
  shown = (row: unknown): unknown => row,
): ListOf<string, unknown> {
  return { [plural]: items.map((row) => shown(row)), count: items.length, next_cursor: nextCursor } as never;
}

/** The answer of a route that deletes one thing. */
export const deleted = (id: string): Deleted => ({ id, deleted: true });
