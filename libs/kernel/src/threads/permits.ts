import { Rotation } from './task-pool.js';

/**
 * How many things may go on at once. Runs share the model calls of the process so: organizations, their projects, and their
 * runs take turns (docs/spec/evaluations.md#how-many-items-at-once).
 */
export class Permits {
  private free: number;
  private readonly waiting = new Rotation<() => void>();

  constructor(private readonly count: number) {
    this.free = count;
  }

  get taken(): number {
    return this.count - this.free;
  }

  get waits(): number {
    return this.waiting.size;
  }

  /**
   * Takes room until {@link leave}. @param path who asks, the largest group first: each level takes turns.
   * @returns nothing where there is room at once, else what resolves when there is.
   */
  enter(path: readonly string[] = []): Promise<void> | undefined {
    if (this.free > 0) {
      this.free--;
      return undefined;
    }
    return new Promise<void>((resolve) => this.waiting.add(path, resolve));
  }

  /** Hands the room on. */
  leave(): void {
    const next = this.waiting.take();
    if (next) next();
    else this.free++;
  }

  /** {@link enter} and {@link leave} for one that asks again and again. @param path as {@link enter} takes it. */
  of(path: readonly string[]): Pick<Permits, 'enter' | 'leave'> {
    return { enter: () => this.enter(path), leave: () => this.leave() };
  }
}
