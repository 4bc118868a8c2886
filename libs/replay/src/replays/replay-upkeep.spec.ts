import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ChangeDatasets, DatasetParticipants } from '@spandrel/datasets';
import type { EvalRunStore, RunParticipants, SetGates } from '@spandrel/evals';
import { BackgroundTasks, createLogger, LOCAL_SCOPE, type Scope } from '@spandrel/kernel';
import type { Storage } from '@spandrel/storage';
import type { PrepareReplay } from './prepare-replay.js';
import type { ReplayRow } from './replay.entity.js';
import { REPLAY_STATUS, type ReplayStore } from './replay.store.js';
import { ReplayUpkeep } from './replay-upkeep.js';

const rowOf = (): ReplayRow =>
  ({
    ...{ projectId: LOCAL_SCOPE.projectId, id: 'r', status: REPLAY_STATUS.preparing, leaseUntil: Date.now() + 60_000 },
  }) as ReplayRow;

describe('ReplayUpkeep', () => {
  const logger = createLogger('silent', 'test');
  const upkeepOf = (replays: object, prepares: object, tasks = new BackgroundTasks(logger)): ReplayUpkeep =>
    new ReplayUpkeep(
      { exclusive: false } as Storage,
      replays as ReplayStore,
      prepares as PrepareReplay,
      {} as ChangeDatasets,
      {} as DatasetParticipants,
      {} as RunParticipants,
      {} as EvalRunStore,
      {} as SetGates,
      logger,
      tasks,
    );

  afterEach(() => void jest.useRealTimers());

  it('leaves alone one that a fault of another request has taken away', async () => {
    const execute = jest.fn();
    await upkeepOf({ find: async () => null }, { execute }).prepare(LOCAL_SCOPE, rowOf(), false);
    expect(execute).not.toHaveBeenCalled();
  });

  it('keeps a replay from others for as long as it prepares it', async () => {
    jest.useFakeTimers();
    const row = rowOf();
    const change = async (_scope: Scope, _id: string, changed: Partial<ReplayRow>) => !!Object.assign(row, changed);
    const execute = () => new Promise<void>((resolve) => setTimeout(resolve, 300_000));
    const tasks = new BackgroundTasks(logger);
    const upkeep = upkeepOf({ unfinished: async () => [], change }, { execute }, tasks);
    tasks.onApplicationBootstrap();
    const prepared = upkeep.prepare(LOCAL_SCOPE, row, true);
    for (let minutes = 0; minutes < 5; minutes++) {
      expect(row.leaseUntil).toBeGreaterThan(Date.now());
      await jest.advanceTimersByTimeAsync(60_000);
    }
    await prepared;
    await tasks.onModuleDestroy();
  });
});
