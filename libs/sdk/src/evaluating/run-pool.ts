/**
 * Works on items as they come, so many at once.
 * @returns once all are done. @throws the first failure, after the work that was under way has ended.
 */
export async function runPool<Item>(
  items: AsyncIterator<Item, void, undefined>,
  size: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  let isAtEnd = false;
  const worker = async (): Promise<void> => {
    try {
      while (!failure && !isAtEnd) {
        const next = await items.next();
        if (next.done) isAtEnd = true;
        else if (!failure) await work(next.value);
      }
    } catch (error) {
      failure ??= { error };
    }
  };
  const first = worker();
  const others: Promise<void>[] = [];
  for (let count = 1; count < size && !isAtEnd; count++) others.push(worker());
  await Promise.all([first, ...others]);
  await items.return?.();
  if (failure) throw (failure as { error: unknown }).error;
}
