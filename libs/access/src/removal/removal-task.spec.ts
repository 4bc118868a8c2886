import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { AuditTrail } from '@spandrel/audit';
import { BackgroundTasks, createLogger, Unavailable } from '@spandrel/kernel';
import { ProjectRemovers, type Storage } from '@spandrel/storage';
import type { OrganizationStore, ProjectStore } from '../organizations/organization.store.js';
import type { PersonStore } from '../people/person.store.js';
import type { RemovalRow } from './removal.entity.js';
import type { RemovalStore } from './removal.store.js';
import { failureOf, RemovalTask, type RemovalMetrics } from './removal-task.js';

describe('a removal', () => {
  afterEach(() => void jest.useRealTimers());

  it("stays its server's while a part of it takes longer than a lease", async () => {
    jest.useFakeTimers();
    const row = { id: 'p', kind: 'project', leaseUntil: 0, requestedAt: 0, finishedAt: null, step: null } as RemovalRow;
    const store = {
      claim: async (_owner: string, now: number, until: number) => {
        if (row.leaseUntil > now) return undefined;
        row.leaseUntil = until;
        return row;
      },
      begin: async () => undefined,
      renew: async (_row: RemovalRow, _owner: string, until: number) => void (row.leaseUntil = until),
      release: async () => undefined,
    };
    const removers = new ProjectRemovers([]);
    const remove = jest.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      return { removed: 0, isMoreLeft: false };
    });
    removers.register({ name: 'store', remove });
    const logger = createLogger('silent', 'test');
    const tasks = new BackgroundTasks(logger);
    void new RemovalTask(
      store as unknown as RemovalStore,
      removers,
      {} as Storage,
      {} as ProjectStore,
      {} as OrganizationStore,
      {} as PersonStore,
      new AuditTrail({ mode: 'local' }),
      {} as RemovalMetrics,
      logger,
      tasks,
    );
    tasks.onApplicationBootstrap();
    for (let second = 2; second < 50; second++) {
      await jest.advanceTimersByTimeAsync(1_000);
      if (remove.mock.calls.length > 0) expect(row.leaseUntil).toBeGreaterThan(Date.now());
    }
    expect(remove).toHaveBeenCalledTimes(1);
    const stopped = tasks.onModuleDestroy();
    await jest.advanceTimersByTimeAsync(60_000);
    await stopped;
  });
});

describe('what an administrator sees of a removal that failed', () => {
  it.each([
    [Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:6333'), { code: 'ECONNREFUSED' }), ' (ECONNREFUSED)'],
    [Object.assign(new Error('canceling statement'), { code: '57014' }), ' (57014)'],
    [Object.assign(new Error('x'), { code: 'at https://index.internal' }), ''],
    [new Error('the index at https://index.internal said 401'), ''],
    ['text', ''],
    [undefined, ''],
  ])('is the code of %p, and no address', (error, code) => {
    expect(failureOf(error)).toBe(`it failed${code}; the log of the servers says more`);
  });

  it('is the database where that is away', () => {
    expect(failureOf(new Unavailable('x'))).toBe('the database could not be used');
  });
});
