/**
 * The first of the rows that fit together into memory, at least one: no answer outgrows memory however large its rows.
 * @param bytesMax in the unit of `bytes`.
 */
export function takeFitting<Row extends { bytes: number }>(rows: readonly Row[], bytesMax: number): Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => (bytes += Number(row.bytes)) > bytesMax && index > 0);
  return end === -1 ? [...rows] : rows.slice(0, end);
}
