/** Something in an eval's definition, or in the text of a gate, is wrong. Nothing was sent, or nothing was started. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}

/**
 * @param known what would be right.
 * @returns ` (pass_rate?)` for the known name that is nearest to a misspelt one; empty where none is near.
 */
export function nearest(misspelt: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, distance: editDistance(misspelt.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .reduce<{ name: string; distance: number } | undefined>(
      (best, each) => (best && best.distance <= each.distance ? best : each),
      undefined,
    );
  return near ? ` (${near.name}?)` : '';
}

/** How many letters must be added, taken away or changed to make one text the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
