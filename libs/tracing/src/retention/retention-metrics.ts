import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { METRICS } from '@spandrel/kernel';

/** Counts the runs of retention of this process. */
@Injectable()
export class RetentionMetrics {
  private readonly runs;

  constructor(@Inject(METRICS) registry: Registry) {
    this.runs = new Counter({
      name: 'spandrel_retention_runs_total',
      help: 'Runs that delete what is too old, by outcome: completed, failed (the next one goes on where it broke off).',
      labelNames: ['outcome'] as const,
      registers: [registry],
    });
    // A counter that begins at its first increase hides that increase from Prometheus.
    for (const outcome of ['completed', 'failed'] as const) this.runs.inc({ outcome }, 0);
  }

  /** Counts a run by how it ends. @throws what `run` throws. */
  async count<T>(run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.runs.inc({ outcome: 'completed' });
      return result;
    } catch (error) {
      this.runs.inc({ outcome: 'failed' });
      throw error;
    }
  }
}
