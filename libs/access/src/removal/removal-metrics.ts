import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { METRICS, registerSourceGauges, type SourceGauge } from '@spandrel/kernel';
import { RemovalStore } from './removal.store.js';

type Unfinished = Awaited<ReturnType<RemovalStore['unfinished']>>[number];

/** Shows whether projects and organizations that are being deleted do go. */
@Injectable()
export class RemovalMetrics {
  private readonly failures: Counter;

  constructor(@Inject(METRICS) registry: Registry, store: RemovalStore) {
    const registers = [registry];
    this.failures = new Counter({
      name: 'spandrel_removal_failures_total',
      help: 'Times that the removal of a project or an organization could not go on; it is tried again.',
      registers,
    });
    const since = (
      name: string,
      help: string,
      at: 'requestedAt' | 'progressedAt',
    ): SourceGauge<readonly Unfinished[]> => ({
      name,
      help,
      samples: (removals) => [{ value: secondsSince(removals.map((removal) => removal[at])) }],
    });
    registerSourceGauges(registry, () => store.unfinished(), [
      since(
        'spandrel_removal_oldest_seconds',
        'Seconds since the oldest removal that is not done was asked for, on all instances; 0 when there is none.',
        'requestedAt',
      ),
      since(
        'spandrel_removal_stalled_seconds',
        'Seconds for which nothing of a removal has gone, that which has waited longest, on all instances; 0 when there is none.',
        'progressedAt',
      ),
    ]);
  }

  countFailure(): void {
    this.failures.inc();
  }
}

/** Seconds since the earliest of some times; 0 without any. */
const secondsSince = (times: readonly number[]): number =>
  times.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...times)) / 1_000;
