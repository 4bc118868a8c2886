import type { Timers } from '../../../libs/sdk/src/delivery/timers.js';

interface Planned {
  at: number;
  run: () => void;
}

/** A clock that stands still until it is moved. */
export class VirtualTimers implements Timers {
  private time = 0;
  private readonly planned = new Set<Planned>();

  now(): number {
    return this.time;
  }

  set(run: () => void, ms: number): unknown {
    const timer = { at: this.time + Math.max(0, ms), run };
    this.planned.add(timer);
    return timer;
  }

  clear(timer: unknown): void {
    this.planned.delete(timer as Planned);
  }

  /** How many timers wait. */
  get size(): number {
    return this.planned.size;
  }

  /** Moves the clock, running what falls due in order, with all that follows from it without further waiting. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settled();
    for (;;) {
      const next = [...this.planned].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.planned.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
      await settled();
    }
    this.time = end;
  }

  /** The timers are forgotten, as by a runtime whose request is over. */
  lose(): void {
    this.planned.clear();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
