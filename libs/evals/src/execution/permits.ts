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

  /** Does `work` once there is room. */
  async with<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.pass();
    }
  }

  /** Hands the room on. */
  private pass(): void {
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
