/**
 * Waits for all parts of a transaction's work, also when one fails: none may still send when it is rolled back.
 * @param parts `false` for a part that is not needed. @throws the failure that came first, which says the cause.
 */
export async function allSettledOrThrow(...parts: readonly (Promise<unknown> | false | undefined)[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(parts.map((part) => part && part.catch((error: unknown) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
}
