import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { registerSourceGauges, type SourceGauge } from '@spandrel/kernel';
import type { BackendState, BackendSize } from './backend.js';

/** How a transaction ended: `refused` is the request's fault or a conflict, `failed` the database's. */
export type TransactionOutcome = 'committed' | 'refused' | 'failed';

const FAILING_HOOKS = ['before_commit', 'after_commit', 'never_returned', 'group_commit'] as const;
/** Which hook of a transaction failed; `never_returned` is the transaction's own work, or a hook before its commit. */
export type FailingHook = (typeof FAILING_HOOKS)[number];

const DISK_FREE: SourceGauge<BackendSize> = {
  name: 'spandrel_storage_disk_free_bytes',
  help: 'Bytes that can still be written where the SQLite database lies.',
  samples: ({ diskFree }) => (diskFree === undefined ? [] : [{ value: diskFree }]),
};

export interface StorageState {
  writesWaiting: () => number;
  backend: () => BackendState;
  size: () => Promise<BackendSize>;
}

export class StorageMetrics {
  private readonly transactions;
  private readonly duration;
  readonly jobs;
  readonly retries;
  readonly longReads;
  readonly hookFailures;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.transactions = new Counter({
      name: 'spandrel_storage_transactions_total',
      help: 'Write transactions by outcome: committed, refused (the request asked for what cannot be), failed (the database).',
      labelNames: ['outcome'] as const,
      registers,
    });
    // A counter that begins at its first increase hides that increase from Prometheus.
    for (const outcome of ['committed', 'refused', 'failed']) this.transactions.inc({ outcome }, 0);
    this.duration = new Histogram({
      name: 'spandrel_storage_transaction_duration_seconds',
      help: 'Time of committed write transactions, from their begin until they are durable.',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.jobs = new Histogram({
      name: 'spandrel_storage_commit_jobs',
      help: 'Requests and results that one group commit made durable.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers,
    });
    this.retries = new Counter({
      name: 'spandrel_storage_retries_total',
      help: 'Transactions begun again: conflict (with another instance), reconnect (the database was away).',
      labelNames: ['reason'] as const,
      registers,
    });
    for (const reason of ['conflict', 'reconnect']) this.retries.inc({ reason }, 0);
    this.hookFailures = new Counter({
      name: 'spandrel_storage_hook_failures_total',
      help: 'Hooks of transactions that failed, a fault of the program: before_commit and never_returned (rolled back), after_commit and group_commit (the commit stands).',
      labelNames: ['hook'] as const,
      registers,
    });
    for (const hook of FAILING_HOOKS) this.hookFailures.inc({ hook }, 0);
    this.longReads = new Histogram({
      name: 'spandrel_storage_long_read_duration_seconds',
      help: 'Time of lists, searches and exports in the database, waiting for a thread or connection included.',
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
  }

  transaction(outcome: TransactionOutcome, ms: number): void {
    this.transactions.inc({ outcome });
    if (outcome === 'committed') this.duration.observe(ms / 1_000);
  }

  watch({ writesWaiting, backend, size }: StorageState): void {
    this.gauge('spandrel_storage_writes_waiting', 'Writes that wait for the writer.', writesWaiting);
    this.gauge(
      'spandrel_storage_long_reads_waiting',
      'Lists, searches and exports that wait for a thread or connection.',
      () => backend().longReadsWaiting,
    );
    const { pool } = backend();
    if (pool) {
      const connections = (state: 'busy' | 'idle'): number => backend().pool?.[state] ?? 0;
      new Gauge({
        name: 'spandrel_storage_pool_connections',
        help: 'Connections to Postgres by state.',
        labelNames: ['state'] as const,
        registers: [this.registry],
        collect() {
          for (const state of ['busy', 'idle'] as const) this.set({ state }, connections(state));
        },
      });
      this.gauge(
        'spandrel_storage_pool_waiting',
        'Transactions and reads that wait for a connection to Postgres.',
        () => backend().pool?.waiting ?? 0,
      );
    }
    registerSourceGauges(this.registry, size, [
      {
        name: 'spandrel_storage_size_bytes',
        help: 'Size of the database by part: database, and on SQLite wal (its write-ahead log).',
        labelNames: ['part'],
        samples: ({ parts }) => Object.entries(parts).map(([part, value]) => ({ labels: { part }, value })),
      },
      ...(pool === undefined ? [DISK_FREE] : []),
    ]);
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
