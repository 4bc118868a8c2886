import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ReadStore } from '@spandrel/plugin-api';
import { ProjectRemovers, Storage } from '@spandrel/storage';
import { READ_STORE } from './configured-store.js';
import { ReadStoreChangeStore } from './read-store-change.store.js';

/** Begins and ends with the process what the read store needs. */
@Injectable()
export class KeepReadStore implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(READ_STORE) private readonly store: ReadStore | null,
    private readonly storage: Storage,
    private readonly changes: ReadStoreChangeStore,
    removers: ProjectRemovers,
  ) {
    if (!store) return;
    const remove = async (projectId: string) => {
      await store.clear(projectId);
      return { removed: 0, isMoreLeft: false };
    };
    removers.register({ name: 'read store', remove });
  }

  /** What happens from now on is not noted where there is no store: one that comes later is filled from the start. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.store || !(await this.changes.state())) return;
    await this.storage.write((tx) => this.changes.forgetAll(tx));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store?.close();
  }
}
