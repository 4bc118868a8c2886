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

/** UTF-16 units of JSON that one transaction writes, about: some 10 ms of the worst of values. */
const SLICE_LENGTH = 131_072;

/**
 * Takes values one after the other, in slices that are written in one transaction each.
 * @param values with the length of the JSON text of each.
 * @param size of a slice at most; a long value is one of its own.
 */
export async function* slicesByWeight<Value>(
  values: AsyncIterable<{ value: unknown; length: number }>,
  size: number,
): AsyncGenerator<Value[], void, undefined> {
  let slice: Value[] = [];
  let all = 0;
  for await (const { value, length } of values) {
    if (slice.length > 0 && (slice.length === size || all + length > SLICE_LENGTH)) {
      yield slice;
      slice = [];
      all = 0;
    }
    slice.push(value as Value);
    all += length;
  }
  if (slice.length > 0) yield slice;
}
