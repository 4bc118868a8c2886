/** What was found out for a key, or is being found out. */
interface Fact<Value> {
  value: Value | Promise<Value>;
  askedAt: number;
}

/** Facts that may be shown for a while from when they were asked for. */
export class FreshFacts<Value> {
  private readonly facts = new Map<string, Fact<Value>>();

  /**
   * @param find what a fact is found out by.
   * @param shownMs how long a fact may be shown.
   * @param factsMax how many are kept: beyond it the one asked for longest ago goes.
   */
  constructor(
    private readonly find: (key: string) => Promise<Value>,
    private readonly shownMs: number,
    private readonly factsMax = 10_000,
    private readonly tick: () => number = () => performance.now(),
  ) {}

  /** @returns the fact at once where it is fresh; else a promise, which rejects when it cannot be found out. */
  get(key: string): Value | Promise<Value> {
    const known = this.facts.get(key);
    const askedAt = this.tick();
    if (known && askedAt - known.askedAt < this.shownMs) return known.value;
    const value = this.find(key);
    const fact: Fact<Value> = { value, askedAt };
    this.facts.delete(key);
    this.facts.set(key, fact);
    if (this.facts.size > this.factsMax) this.facts.delete(this.facts.keys().next().value!);
    value.then(
      (found) => void (fact.value = found),
      () => this.facts.get(key) === fact && this.facts.delete(key),
    );
    return value;
  }

  /** The fact of a key has changed here. */
  forget(key: string): void {
    this.facts.delete(key);
  }
}
