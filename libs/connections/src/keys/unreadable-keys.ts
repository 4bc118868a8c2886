import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Gauge, type Registry } from '@prometheus-io/client';
import { LOGGER, METRICS, PeriodicTask, type Logger } from '@spandrel/kernel';
import { ConnectionStore } from '../connection.store.js';
import { KeyRing } from './key-ring.js';
import { NO_KEY } from './sealing.js';

const EVERY_MS = 30_000;

/**
 * Says when this server lacks a secret key that connections are sealed with
 * (docs/spec/connections.md#when-a-key-cannot-be-decrypted): an error in the log, once until it changes, and a metric.
 */
@Injectable()
export class UnreadableKeys implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;
  private readonly gauge: Gauge;
  private known = 0;

  constructor(
    private readonly store: ConnectionStore,
    private readonly ring: KeyRing,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) registry: Registry,
  ) {
    this.gauge = new Gauge({
      name: 'spandrel_unreadable_connections',
      help: 'Provider connections whose keys are encrypted with a secret key that this server does not have.',
      registers: [registry],
    });
    this.task = new PeriodicTask({
      everyMs: EVERY_MS,
      task: () => this.look(),
      failure: 'it cannot be found out now whether this server can read the keys of the provider connections',
      logger,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.look();
    this.task.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async look(): Promise<void> {
    const counts = await this.store.countByKey();
    const unreadable = counts.filter(({ keyId }) => keyId !== NO_KEY.keyId && !this.ring.find(keyId));
    const count = unreadable.reduce((sum, { connections }) => sum + connections, 0);
    this.gauge.set(count);
    if (count === this.known) return;
    this.known = count;
    if (count === 0) this.logger.info('this server can read the keys of all provider connections');
    else this.logger.error({ connections: count, key_ids: unreadable.map(({ keyId }) => keyId) }, LACKING);
  }
}

const LACKING =
  'this server cannot read the keys of some provider connections: they are encrypted with another secret key; ' +
  'give it that key as SPANDREL_SECRET_KEY or SPANDREL_SECRET_KEY_PREVIOUS';
