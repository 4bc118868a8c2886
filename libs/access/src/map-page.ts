import type { Page } from '@spandrel/storage';

/** A page of rows as one of resources. */
export const mapPage = <Row, Item>({ items, nextCursor }: Page<Row>, toItem: (row: Row) => Item): Page<Item> => ({
  items: items.map(toItem),
  nextCursor,
});
