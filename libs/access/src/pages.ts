import type { Page } from '@spandrel/storage';

/** A page as the wire shows it (docs/spec/general.md#lists). */
export const listOf = <Plural extends string, Item>(plural: Plural, { items, nextCursor }: Page<Item>) => ({
  ...({ [plural]: items } as Record<Plural, Item[]>),
  count: items.length,
  next_cursor: nextCursor,
});

/** A page of rows as one of resources. */
export const mapPage = <Row, Item>({ items, nextCursor }: Page<Row>, toItem: (row: Row) => Item): Page<Item> => ({
  items: items.map(toItem),
  nextCursor,
});
