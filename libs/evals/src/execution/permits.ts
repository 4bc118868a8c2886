/**
 * How many things may go on at once; more wait, first come, first served. Runs share the model calls of the process so,
 * and each gets its turn.
 */
export class Permits {
  private free: number;
  private readonly waiting: (() => void)[] = [];
  private head = 0;

  constructor(private readonly count: number) {
    this.free = count;
  }

  /** How many go on now. */
  get taken(): number {
    return this.count - this.free;
  }

  /** How many wait. */
  get waits(): number {
    return this.waiting.length - this.head;
  }

  /**
   * Takes room; whoever has taken it gives it back by {@link leave}.
   * @returns nothing where there is room at once, else what resolves when there is.
   */
  enter(): Promise<void> | undefined {
    if (this.free > 0) {
      this.free--;
      return undefined;
    }
    return new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Hands the room on. */
  leave(): void {
    const next = this.waiting[this.head];
    if (!next) {
      this.free++;
      return;
    }
    this.head++;
    if (this.head === this.waiting.length || this.head > 1_024) {
      this.waiting.splice(0, this.head);
      this.head = 0;
    }
    next();
  }
}
