import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ModuleRef } from '@nestjs/core';
import { Registry } from '@prometheus-io/client';
import { AuditTrail } from '@spandrel/audit';
import { BackgroundTasks, createLogger } from '@spandrel/kernel';
import type { Storage } from '@spandrel/storage';
import type { ExpireSpans } from './expire-spans.js';
import type { ExpiredStore } from './expired.store.js';
import { RetentionTask } from './retention-task.js';

/** A server's task, and when it ran, in seconds after its start. */
function started(intervalMs: number, metrics = new Registry()) {
  const [runs, began] = [[] as number[], Date.now()];
  const expire = {
    execute: async () => {
      runs.push((Date.now() - began) / 1_000);
      return { plans: new Map(), projects: new Map(), daysDropped: 0 };
    },
  } as unknown as ExpireSpans;
  const modules = { get: () => ({ terms: async () => [] }) } as unknown as ModuleRef;
  const store = { databaseNow: async () => Date.now() } as unknown as ExpiredStore;
  const logger = createLogger('silent', 'test');
  const tasks = new BackgroundTasks(logger);
  void new RetentionTask(
    { retentionIntervalMs: intervalMs, prices: {}, priceFile: null, indexedMetadata: [] },
    logger,
    modules,
    expire,
    store,
    {} as Storage,
    new AuditTrail({ mode: 'local' }),
    metrics,
    tasks,
  );
  tasks.onApplicationBootstrap();
  return { tasks, runs, expire };
}

describe('the retention task', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('runs a quarter of the interval after the start, not at all servers at once, and every interval from then on', async () => {
    const servers = Array.from({ length: 5 }, () => started(3_600_000));
    await jest.advanceTimersByTimeAsync(1_350_000);
    const firsts = servers.map(({ runs }) => runs[0]!);
    for (const first of firsts) {
      expect(first).toBeGreaterThanOrEqual(450);
      expect(first).toBeLessThanOrEqual(1_350);
    }
    expect(new Set(firsts).size).toBeGreaterThan(1);
    await jest.advanceTimersByTimeAsync(3_600_000);
    for (const { tasks, runs } of servers) {
      expect(runs).toHaveLength(2);
      expect(runs[1]! - runs[0]!).toBeCloseTo(3_600, 0);
      await tasks.onModuleDestroy();
    }
  });

  it('counts its runs by how they end, and goes on after one that failed', async () => {
    const registry = new Registry();
    const { tasks, expire } = started(1_000, registry);
    const { execute } = expire;
    expire.execute = async () => Promise.reject(new Error('thrown on purpose'));
    await jest.advanceTimersByTimeAsync(400);
    expire.execute = execute;
    await jest.advanceTimersByTimeAsync(2_000);
    await tasks.onModuleDestroy();
    const counted = (await registry.metrics()).match(/^spandrel_retention_runs_total\{.*$/gm);
    expect(counted).toEqual([
      'spandrel_retention_runs_total{outcome="completed"} 2',
      'spandrel_retention_runs_total{outcome="failed"} 1',
    ]);
  });
});
