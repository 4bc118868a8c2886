import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import { GroupCommit, type GroupCommitOptions } from './group-commit.js';
import type { WriteTx } from './write-tx.js';

type Job = { n: number; rows?: number };

const hooks = {
  hasOneWriter: true,
  committed: () => undefined,
  failed: (error: unknown) => {
    throw error;
  },
};

/** A group commit on a database in memory: what a transaction did counts only when it returns. */
function harness(
  fail?: (jobs: readonly Job[]) => unknown,
  expected?: () => number,
): {
  group: GroupCommit<Job, number>;
  committed: number[];
  batches: number[];
} {
  const committed: number[] = [];
  const batches: number[] = [];
  const options: GroupCommitOptions<Job, number> = {
    transaction: async (work) => work({} as WriteTx),
    apply: async (_tx, jobs) => {
      await Promise.resolve();
      const error = fail?.(jobs);
      if (error) throw error;
      batches.push(jobs.length);
      committed.push(...jobs.map(({ n }) => n));
      return jobs.map(({ n }) => (n < 0 ? { error: new Error(`job ${n}`) } : { answer: n * 2 }));
    },
    weigh: ({ rows }) => rows ?? 1,
    rowsMax: 10,
    ...hooks,
    ...(expected && { expected }),
  };
  return { group: new GroupCommit(options), committed, batches };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const jobs = (count: number): Job[] => Array.from({ length: count }, (_, n) => ({ n }));

describe('GroupCommit', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('puts what has arrived into one transaction, in order, up to the bound', async () => {
    const { group, committed, batches } = harness();
    const answers = await Promise.all(jobs(25).map((job) => group.submit(job)));
    expect(answers).toEqual(jobs(25).map(({ n }) => n * 2));
    expect(committed).toEqual(jobs(25).map(({ n }) => n));
    expect(batches).toEqual([10, 10, 5]);
  });

  it('waits for jobs that keep coming turn after turn, and for no others', async () => {
    // Two milliseconds are over at once on a busy machine.
    jest.spyOn(performance, 'now').mockReturnValue(0);
    const { group, batches } = harness();
    const later = nextTurn().then(() => {
      const last = nextTurn().then(() => group.submit({ n: 3 }));
      return Promise.all([group.submit({ n: 2 }), last]);
    });
    await Promise.all([group.submit({ n: 1 }), later]);
    expect(batches).toEqual([3]);
    await group.submit({ n: 4 });
    expect(batches).toEqual([3, 1]);
  });

  it('waits for jobs that are expected, and not for ever', async () => {
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const { group, batches } = harness(undefined, () => 3);
    await Promise.all([1, 2, 3].map(async (n) => (await pause(n - 1), group.submit({ n }))));
    expect(batches).toEqual([3]);
    await group.submit({ n: 4 });
    expect(batches).toEqual([3, 1]);
  });

  it('gives a job heavier than the bound a transaction of its own', async () => {
    const { group, batches } = harness();
    await Promise.all([{ n: 1 }, { n: 2, rows: 50 }, { n: 3 }].map((job) => group.submit(job)));
    expect(batches).toEqual([1, 1, 1]);
  });

  describe('with large jobs', () => {
    /** Jobs of more than five rows are large; the clock stands still until it is moved. */
    function largeHarness() {
      const clock = { now: 0 };
      jest.spyOn(performance, 'now').mockImplementation(() => clock.now);
      const batches: number[][] = [];
      const group = new GroupCommit<Job, number>({
        transaction: async (work) => work({} as WriteTx),
        apply: async (_tx, batch) => {
          batches.push(batch.map(({ n }) => n));
          return batch.map(({ n }) => ({ answer: n }));
        },
        weigh: ({ rows }) => rows ?? 1,
        rowsMax: 10,
        isLarge: ({ rows }) => rows !== undefined && rows > 5,
        ...hooks,
      });
      return { group, batches, clock };
    }

    it('lets others go first and shares no transaction with them', async () => {
      const { group, batches } = largeHarness();
      await Promise.all([{ n: 1, rows: 6 }, { n: 2, rows: 6 }, { n: 3 }, { n: 4 }].map((job) => group.submit(job)));
      expect(batches).toEqual([[3, 4], [1], [2]]);
    });

    it('lets a large job go before those that come long after it', async () => {
      const { group, batches, clock } = largeHarness();
      const first = [{ n: 1, rows: 6 }, { n: 2 }].map((job) => group.submit(job));
      clock.now = 1_000;
      await Promise.all([...first, group.submit({ n: 3 })]);
      expect(batches).toEqual([[2], [1], [3]]);
    });
  });

  it('answers a job that breaks a rule with its own error, the others as ever', async () => {
    const { group } = harness();
    const results = await Promise.allSettled([1, -1, 2].map((n) => group.submit({ n })));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('repeats a lost transaction job by job, so that only the poisonous one fails', async () => {
    const { group, committed } = harness((batch) => batch.some(({ n }) => n === 3) && new Error('poison'));
    const results = await Promise.allSettled(jobs(6).map((job) => group.submit(job)));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, true]);
    expect(committed).toEqual([0, 1, 2, 4, 5]);
  });

  it('is unavailable for all while the database is, and works again afterwards', async () => {
    let full = true;
    const diskFull = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    const { group, committed } = harness(() => full && diskFull);
    const results = await Promise.allSettled(jobs(3).map((job) => group.submit(job)));
    for (const result of results) expect((result as PromiseRejectedResult).reason).toBeInstanceOf(Unavailable);
    full = false;
    await group.submit({ n: 7 });
    expect(committed).toEqual([7]);
  });

  it('does a large job beside the others where the database has several writers, one at a time', async () => {
    const running = new Map<number, () => void>();
    const group = new GroupCommit<Job, number>({
      transaction: async (work) => work({} as WriteTx),
      apply: async (_tx, batch) => {
        await new Promise<void>((resolve) => running.set(batch[0]!.n, resolve));
        running.delete(batch[0]!.n);
        return batch.map(({ n }) => ({ answer: n }));
      },
      weigh: ({ rows }) => rows ?? 1,
      rowsMax: 10,
      isLarge: ({ rows }) => rows !== undefined && rows > 5,
      ...hooks,
      hasOneWriter: false,
    });
    const begun = async (): Promise<number[]> => {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      return [...running.keys()];
    };
    const answers = Promise.all(
      [{ n: 1, rows: 6 }, { n: 2, rows: 6 }, { n: 3 }, { n: 4 }].map((job) => group.submit(job)),
    );
    expect(await begun()).toEqual([1, 3]);
    running.get(1)!();
    expect(await begun()).toEqual([3, 2]);
    running.get(3)!();
    running.get(2)!();
    expect(await answers).toEqual([1, 2, 3, 4]);
    await group.idle();
  });

  it('is idle once everything is answered', async () => {
    const { group, committed } = harness();
    for (const job of jobs(12)) void group.submit(job);
    await group.idle();
    expect(committed).toHaveLength(12);
  });
});
