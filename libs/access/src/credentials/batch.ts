/** Looks up what is asked for in one turn of the event loop with one query, however much that is. */
export class Batch<Row> {
  private waiting = new Map<string, PromiseWithResolvers<Row | undefined>>();

  /**
   * @param read the rows of some keys.
   * @param keyOf finds the key that a row belongs to.
   */
  constructor(
    private readonly read: (keys: readonly string[]) => Promise<Row[]>,
    private readonly keyOf: (row: Row) => string,
  ) {}

  /** @returns `undefined` when there is no such row. @throws what `read` throws. */
  find(key: string): Promise<Row | undefined> {
    let asked = this.waiting.get(key);
    if (!asked) {
      if (this.waiting.size === 0) setImmediate(() => void this.readAll());
      this.waiting.set(key, (asked = Promise.withResolvers()));
    }
    return asked.promise;
  }

  private async readAll(): Promise<void> {
    const asked = this.waiting;
    this.waiting = new Map();
    try {
      const rows = new Map((await this.read([...asked.keys()])).map((row) => [this.keyOf(row), row]));
      for (const [key, { resolve }] of asked) resolve(rows.get(key));
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  }
}
