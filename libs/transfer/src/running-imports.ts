import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Unavailable } from '@spandrel/kernel';

/** The imports under way: a stop of the process ends them between two batches and waits for that. */
@Injectable()
export class RunningImports implements BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  /** Fires when the process stops, with the error to answer. */
  get stopping(): AbortSignal {
    return this.stop.signal;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new Unavailable('the service is stopping'));
    await Promise.allSettled(this.running);
  }

  /** Runs an import, which the stop waits for. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const task = work();
    this.running.add(task);
    try {
      return await task;
    } finally {
      this.running.delete(task);
    }
  }
}
