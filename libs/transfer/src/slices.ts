import type { Texts } from '@spandrel/http';

/** JSON of items, slice by slice, made as they are taken. */
export type Slices = AsyncGenerator<Iterable<Texts>>;

/** One read: a millisecond or two of the event loop, so that requests hardly notice. */
export const SLICE = { rows: 128, bytes: 512 * 1024 };

/**
 * Rows from the first to the last, slice by slice.
 * @param read reads those behind a row, or the first ones; none at the end.
 */
export async function* slicesOf<Row>(
  read: (after: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after: Row | undefined; ;) {
    const rows = await read(after);
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1);
  }
}

export async function* oneSlice(items: readonly string[]): Slices {
  yield items;
}
