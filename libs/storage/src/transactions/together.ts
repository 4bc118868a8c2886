/**
 * Waits for all parts of a transaction's work that were begun together, also when one fails: none may still be sending
 * statements when the transaction is rolled back.
 * @param parts the work under way; `false` for a part that is not needed.
 * @throws the failure of the first part that failed.
 */
export async function together(...parts: readonly (Promise<unknown> | false | undefined)[]): Promise<void> {
  for (const outcome of await Promise.allSettled(parts)) if (outcome.status === 'rejected') throw outcome.reason;
}
