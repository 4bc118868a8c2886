import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { METRICS, registerSourceGauges } from '@spandrel/kernel';
import type { ReadStore } from '@spandrel/plugin-api';
import { READ_STORE } from './configured-store.js';
import { ReadStoreDayStore } from './read-store-day.store.js';
import { ReadStoreChangeStore } from './read-store-change.store.js';

/** Who answered: the store, with the database for what it does not have yet, or the database alone. */
export type Answered = 'store' | 'behind' | 'off';

/** Shows how the read store keeps up with the database; nothing where there is none. */
@Injectable()
export class ReadStoreMetrics {
  private readonly spans: Counter | undefined;
  private readonly lists: Counter<'answered'> | undefined;

  constructor(
    @Inject(READ_STORE) store: ReadStore | null,
    @Inject(METRICS) registry: Registry,
    changes: ReadStoreChangeStore,
    days: ReadStoreDayStore,
  ) {
    if (!store) return;
    const registers = [registry];
    this.spans = new Counter({
      name: 'spandrel_read_store_spans_total',
      help: 'Spans written to the read store.',
      registers,
    });
    this.lists = new Counter({
      name: 'spandrel_read_store_lists_total',
      help: 'Lists that the read store can answer, by who did: store, or the database alone (behind, off).',
      labelNames: ['answered'] as const,
      registers,
    });
    for (const answered of ['store', 'behind', 'off'] as const) this.lists.inc({ answered }, 0);
    registerSourceGauges(registry, () => changes.waiting(), [
      {
        name: 'spandrel_read_store_changes_waiting',
        help: 'Changes that the read store does not have yet, on all instances.',
        samples: ({ count }) => [{ value: count }],
      },
      {
        name: 'spandrel_read_store_lag_seconds',
        help: 'How long the oldest of them has waited.',
        samples: ({ oldest }) => [{ value: oldest === null ? 0 : Math.max(0, Date.now() - oldest) / 1_000 }],
      },
    ]);
    registerSourceGauges(registry, () => days.counts(), [
      {
        name: 'spandrel_read_store_days',
        help: 'Days of projects whose texts the database gave away (cold), and on which the read store does not have what it should (differs).',
        labelNames: ['state'],
        samples: ({ cold, differs }) => [
          { labels: { state: 'cold' }, value: cold },
          { labels: { state: 'differs' }, value: differs },
        ],
      },
    ]);
  }

  loaded(spans: number): void {
    this.spans?.inc(spans);
  }

  answered(answered: Answered): void {
    this.lists?.inc({ answered });
  }
}
