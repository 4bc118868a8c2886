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
