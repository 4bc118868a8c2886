import { hostname } from 'node:os';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CoreSettings, LOGGER, newId, PeriodicTask, type Logger, type Scope } from '@spandrel/kernel';
import { KeyHolderStore } from './key-holder.store.js';
import { KeyRing, NO_KEY } from './sealing.js';
import { ConnectionStore } from '../connection.store.js';

const EVERY_MS = 5_000;

/** Shows servers of cloud mode which secret keys each has (docs/spec/connections.md#servers-with-different-keys). */
@Injectable()
export class KeyHolders implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly id = newId();
  private readonly task: PeriodicTask | undefined;

  constructor(
    private readonly store: KeyHolderStore,
    private readonly ring: KeyRing,
    core: CoreSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    if (core.mode === 'local') return;
    this.task = new PeriodicTask({
      everyMs: EVERY_MS,
      task: () => this.note(),
      failure: 'other servers cannot be notified now which secret key this one has',
      logger,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.task) return;
    await this.note();
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    if (!this.task) return;
    await this.task.stop();
    try {
      await this.store.forget(this.id);
    } catch (error) {
      this.logger.warn({ err: error }, 'this server counts as running for some seconds more');
    }
  }

  /** Whether another server that runs has all of these keys. */
  async hasElsewhere(keyIds: readonly string[]): Promise<boolean> {
    if (!this.task) return false;
    const servers = await this.store.running(Date.now());
    return servers.some((server) => server.id !== this.id && keyIds.every((id) => server.keyIds.includes(id)));
  }

  private note(): Promise<void> {
    return this.store.note({
      id: this.id,
      host: hostname(),
      keyIds: JSON.stringify(this.ring.ids),
      seenAt: Date.now(),
    });
  }
}

/** Finds out which server can read connections (docs/spec/connections.md#servers-with-different-keys). */
@Injectable()
export class FindReaders {
  constructor(
    private readonly store: ConnectionStore,
    private readonly ring: KeyRing,
    private readonly holders: KeyHolders,
  ) {}

  /** Whether this server lacks a key of these connections, and another one that runs has all that are needed. */
  async onlyElsewhere(scope: Scope, connectionIds: readonly string[]): Promise<boolean> {
    const needed = (await this.store.keysOf(scope, connectionIds)).filter((keyId) => keyId !== NO_KEY.keyId);
    if (needed.every((keyId) => this.ring.find(keyId))) return false;
    return this.holders.hasElsewhere(needed);
  }
}
