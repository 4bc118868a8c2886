import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  LOGGER,
  newId,
  PeriodicTask,
  type Logger,
  Unavailable,
  METRICS,
  registerSourceGauges,
  type SourceGauge,
} from '@spandrel/kernel';
import { Counter, type Registry } from '@prometheus-io/client';
import type { RemovalRow } from './removal.entity.js';
import { LeaseLost, RemovalStore } from './removal.store.js';
import { RemoveOwned } from './remove-owned.js';
import { EndRemoval } from './end-removal.js';

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

/** How often removals are looked for that nobody is at. */
const EVERY_MS = 1_000;

/**
 * What was let in before a removal began has written by then: credentials count for half a second, and statements and
 * transactions end within seconds.
 */
const SETTLED_MS = 5_000;
/** How long another server waits after one that failed. */
const AGAIN_MS = 10_000;

/** Takes projects and organizations away that are being deleted, in the background; any number of servers do it together. */
@Injectable()
export class RemovalTask implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;
  private readonly owner = newId();

  constructor(
    private readonly store: RemovalStore,
    private readonly owned: RemoveOwned,
    private readonly end: EndRemoval,
    private readonly metrics: RemovalMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.task = new PeriodicTask({
      everyMs: EVERY_MS,
      task: (stopped) => this.execute(stopped),
      failure: 'deleted projects could not be looked for; they will be at the next time',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  /** Works on removals until none waits. */
  private async execute(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const removal = await this.store.claim(this.owner, Date.now(), this.owned.leaseEnd());
      if (!removal) return;
      await this.work(removal, stopped);
    }
  }

  private async work(removal: RemovalRow, stopped: AbortSignal): Promise<void> {
    const { id, kind, rowsDeleted } = removal;
    try {
      if (removal.finishedAt === null && removal.step === null) this.logger.info({ id, kind }, 'a removal begins');
      else if (removal.finishedAt === null) this.logger.info({ id, kind, rowsDeleted }, 'a removal goes on');
      const since = Date.now();
      const deleted = await this.owned.execute(removal, this.owner, stopped);
      if (stopped.aborted) return await this.store.release(removal, this.owner, 0);
      // Not before a whole look finds nothing that began when nobody could write any more.
      if (deleted > 0 || since < removal.requestedAt + SETTLED_MS) {
        const again = Math.max(since + EVERY_MS, removal.requestedAt + SETTLED_MS);
        return await this.store.releaseWell(removal, this.owner, again, Date.now());
      }
      await this.end.execute(removal, this.owner);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      const failures = removal.failures + 1;
      this.metrics.countFailure();
      this.logger.warn({ err: error, id, kind, failures }, 'a removal could not go on; it will in a while');
      const again = Date.now() + AGAIN_MS;
      await this.store.releaseFailed(removal, this.owner, again, failureOf(error)).catch(() => undefined);
    }
  }
}

/** Codes as systems and databases give them, such as `ECONNREFUSED` or `57014`: they reveal nothing of the installation. */
const CODE = /^[A-Z0-9_]{3,40}$/;

/**
 * What failed, in words that may be shown to an administrator of an organization. The error itself may name addresses of the
 * installation; it is in the server's log.
 */
export function failureOf(error: unknown): string {
  if (error instanceof Unavailable) return 'the database could not be used';
  const code = (error as { code?: unknown } | null | undefined)?.code;
  const known = typeof code === 'string' && CODE.test(code) ? ` (${code})` : '';
  return `it failed${known}; the log of the servers says more`;
}
