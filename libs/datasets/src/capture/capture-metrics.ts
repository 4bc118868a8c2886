import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { METRICS, registerSourceGauges } from '@spandrel/kernel';
import { CaptureTaskStore } from './capture-task.store.js';

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
    registerSourceGauges(registry, () => tasks.count(), [
      {
        name: 'spandrel_capture_tasks_waiting',
        help: 'Spans that a capture rule took and that are not captured yet, on all instances.',
        samples: (value) => [{ value }],
      },
    ]);
  }

  taskLost(): void {
    this.lost.inc();
  }
}
