/**
 * The first of the rows that fit together into memory, at least one: no answer outgrows memory however large its rows.
 * @param bytesMax in the unit of `bytes`.
 */
export function takeFitting<Row extends { bytes: number }>(rows: readonly Row[], bytesMax: number): Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => (bytes += Number(row.bytes)) > bytesMax && index > 0);
  return end === -1 ? [...rows] : rows.slice(0, end);
}

/** The first of the ids whose rows fit together in the same way. @param sizes of the rows there are, in any order. */
export function takeFittingIds(
  ids: readonly string[],
  sizes: readonly { id: string; bytes: number }[],
  bytesMax: number,
): string[] {
  const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  const sized = ids.map((id) => ({ id, bytes: bytesOf.get(id) ?? 0 }));
  return takeFitting(sized, bytesMax).map(({ id }) => id);
}
