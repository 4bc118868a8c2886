/** An error of items, and how many items have it. */
export interface ErrorCount {
  error: string;
  count: number;
}

/**
 * Says why a run came to nothing, by the commonest reason (docs/spec/evaluations.md#runs-whose-items-all-fail).
 * @param total items of the run, all of them failed.
 * @param errors of its items, the commonest first.
 */
export function whyAllFailed(total: number, errors: readonly ErrorCount[]): string {
  const reasons = new Map<string, ErrorCount>();
  for (const { error, count } of errors) {
    const reason = reasons.get(reasonOf(error));
    if (reason) reason.count += count;
    else reasons.set(reasonOf(error), { error, count });
  }
  const [first] = [...reasons.values()].toSorted((a, b) => b.count - a.count);
  const items = total === 1 ? 'the only item failed' : `all ${total} items failed`;
  if (!first) return items;
  return `${items}: ${first.error}${first.count === total ? '' : ` (${first.count} of ${total})`}`;
}

/** What errors have in common that differ in quoted text, numbers and ids only; a status of HTTP is no such number. */
const reasonOf = (error: string): string =>
  error
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\w[\w-]{7,}/g, (word) => (/\d/.test(word) ? '#' : word))
    .replaceAll(/(?<!HTTP |\d)\d+(?:\.\d+)*/g, '#');
