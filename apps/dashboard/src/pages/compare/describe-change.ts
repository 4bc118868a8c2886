/** Values that differ by less are the same: sums of the same numbers in another order differ so. */
const SAME = 1e-12;

/** A value as it was and is, with its change: `1 → 0.5 (-0.5)`. @param format writes a value, `–` for none. */
export function describeChange(
  before: number | null | undefined,
  after: number | null | undefined,
  format: (value: number | null | undefined) => string,
): string {
  const words = `${format(before)} → ${format(after)}`;
  if (before == null || after == null) return words;
  const change = after - before;
  if (Math.abs(change) < SAME) return `${words} (no change)`;
  return `${words} (${change > 0 ? '+' : '-'}${format(Math.abs(change))})`;
}
