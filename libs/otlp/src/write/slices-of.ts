import { Turn } from '@spandrel/kernel';

/**
 * Takes items one after the other, in slices of those that are kept, and lets others have their turn meanwhile.
 * @param size of a slice; the last may have fewer.
 */
export async function* slicesOf<Item>(
  items: Iterable<Item>,
  size: number,
  isKept: (item: Item) => boolean,
): AsyncGenerator<Item[], void, undefined> {
  const turn = new Turn();
  let slice: Item[] = [];
  for (const item of items) {
    if (isKept(item)) slice.push(item);
    if (slice.length === size) {
      yield slice;
      slice = [];
    }
    if (turn.isOver()) await turn.next();
  }
  if (slice.length > 0) yield slice;
}
