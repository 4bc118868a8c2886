import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { BackgroundTasks, createLogger } from '@spandrel/kernel';
import type { ReadStore } from '@spandrel/plugin-api';
import type { Storage } from '@spandrel/storage';
import type { RecordScanStore, SpanLookups, SpanStore, TraceLookups } from '@spandrel/tracing';
import { LoadReadStore } from './load-read-store.js';
import { CHANGE_KIND, type ReadStoreStateRow } from './read-store.entity.js';
import type { ReadStoreChangeStore } from './read-store-change.store.js';
import type { ReadStoreMetrics } from './read-store-metrics.js';

describe('LoadReadStore', () => {
  afterEach(() => void jest.useRealTimers());

  it('keeps a batch from other servers for as long as the store takes over it', async () => {
    jest.useFakeTimers();
    const state = { content: 'c', batch: 1, confirmed: 1, holder: '', leaseUntil: 0 } as ReadStoreStateRow;
    let waiting = [
      { projectId: 'p', kind: CHANGE_KIND.traceRow, id: 't', seq: 1, notedAt: 0, moved: 0, afterId: null },
    ];
    const changes = {
      next: async () => waiting,
      nextProject: async () => undefined,
      state: async () => state,
      take: async (_tx: unknown, holder: string, _now: number, leaseUntil: number) =>
        Object.assign(state, { holder, leaseUntil }),
      renew: async (_holder: string, leaseUntil: number) => void (state.leaseUntil = leaseUntil),
      confirm: async () => void (waiting = []),
    };
    const store = {
      open: async () => undefined,
      state: async () => ({ content: 'c', batch: 1 }),
      apply: () => new Promise<void>((resolve) => setTimeout(resolve, 120_000)),
    };
    const logger = createLogger('silent', 'test');
    const tasks = new BackgroundTasks(logger);
    const loader = new LoadReadStore(
      store as unknown as ReadStore,
      logger,
      { exclusive: false, write: (work: (tx: unknown) => unknown) => work({}) } as unknown as Storage,
      changes as unknown as ReadStoreChangeStore,
      { loadSome: async () => [] } as unknown as SpanStore,
      {} as SpanLookups,
      { load: async () => [] } as unknown as TraceLookups,
      {} as RecordScanStore,
      { loaded: () => undefined } as unknown as ReadStoreMetrics,
      tasks,
    );
    tasks.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1_000);
    for (let second = 1; second < 115; second++) {
      expect(state.leaseUntil).toBeGreaterThan(Date.now());
      await jest.advanceTimersByTimeAsync(1_000);
    }
    await jest.advanceTimersByTimeAsync(10_000);
    await loader.execute();
    expect(waiting).toEqual([]);
    await tasks.onModuleDestroy();
  });
});
