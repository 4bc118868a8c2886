/** What was found out for a key, and when. */
interface Fact<Value> {
  value: Value;
  foundAt: number;
}

/**
 * Facts that may be shown for a while: each is found out again in the background when it is half as old as it may be, so that who
 * asks often never waits, and none that is older than that is shown.
 */
export class FreshFacts<Value> {
  private readonly facts = new Map<string, Fact<Value>>();
  private readonly finding = new Map<string, Promise<Value>>();
  /** Raised when facts are forgotten: what was asked for before does not count any more. */
  private generation = 0;

  /**
   * @param find what a fact is found out by.
   * @param shownMs how long a fact may be shown, from when it was asked for.
   * @param factsMax how many are kept: beyond it the one found out longest ago goes.
   */
  constructor(
    private readonly find: (key: string) => Promise<Value>,
    private readonly shownMs: number,
    private readonly factsMax = 10_000,
    private readonly tick: () => number = () => performance.now(),
  ) {}

  /** @returns the fact at once where it is fresh; else a promise, which rejects when it cannot be found out. */
  get(key: string): Value | Promise<Value> {
    const fact = this.facts.get(key);
    const age = fact ? this.tick() - fact.foundAt : Infinity;
    if (fact && age < this.shownMs / 2) return fact.value;
    const finding = this.finding.get(key) ?? this.ask(key);
    if (!fact || age >= this.shownMs) return finding;
    finding.catch(() => undefined);
    return fact.value;
  }

  /** The fact of a key has changed here. */
  forget(key: string): void {
    this.generation++;
    this.facts.delete(key);
    this.finding.delete(key);
  }

  private ask(key: string): Promise<Value> {
    const askedAt = this.tick();
    const { generation } = this;
    const finding: Promise<Value> = this.find(key)
      .then((value) => {
        if (generation === this.generation) this.keep(key, { value, foundAt: askedAt });
        return value;
      })
      .finally(() => {
        if (this.finding.get(key) === finding) this.finding.delete(key);
      });
    this.finding.set(key, finding);
    return finding;
  }

  private keep(key: string, fact: Fact<Value>): void {
    this.facts.delete(key);
    this.facts.set(key, fact);
    if (this.facts.size > this.factsMax) this.facts.delete(this.facts.keys().next().value!);
  }
}
