/**
 * Waits for all parts of a transaction's work that were begun together, also when one fails: none may still be sending
 * statements when the transaction is rolled back.
 * @param parts the work under way; `false` for a part that is not needed.
 * @throws the failure that came first: behind it every statement of the transaction fails, and says nothing of the cause.
 */
export async function allSettledOrThrow(...parts: readonly (Promise<unknown> | false | undefined)[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(parts.map((part) => part && part.catch((error: unknown) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
}
