import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { METRICS } from '@spandrel/kernel';
import { CaptureTaskStore } from './capture-task.store.js';

/** How long a count of tasks is shown again, in milliseconds: counting reads the table. */
const COUNT_MS = 15_000;

/** Shows how capture rules keep up with the spans. */
@Injectable()
export class CaptureMetrics {
  private readonly lost: Counter;

  constructor(@Inject(METRICS) registry: Registry, tasks: CaptureTaskStore) {
    const registers = [registry];
    this.lost = new Counter({
      name: 'spandrel_capture_tasks_lost_total',
      help: 'Spans that a capture rule took and that could not be captured, after all attempts.',
      registers,
    });
    let countedAt = -Infinity;
    new Gauge({
      name: 'spandrel_capture_tasks_waiting',
      help: 'Spans that a capture rule took and that are not captured yet, on all instances.',
      registers,
      async collect() {
        if (performance.now() - countedAt < COUNT_MS) return;
        countedAt = performance.now();
        // While the database is away the last count stands.
        const count = await tasks.count().catch(() => undefined);
        if (count !== undefined) this.set(count);
      },
    });
  }

  taskLost(): void {
    this.lost.inc();
  }
}
