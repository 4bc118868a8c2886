import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import { GroupCommit, type GroupCommitOptions } from './group-commit.js';
import type { WriteTx } from './write-tx.js';

type Job = { n: number; rows?: number };

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
      return { outcomes: jobs.map(({ n }) => (n < 0 ? { error: new Error(`job ${n}`) } : { answer: n * 2 })) };
    },
    weigh: ({ rows }) => rows ?? 1,
    rowsMax: 10,
    ...(expected && { expected }),
  };
  return { group: new GroupCommit(options), committed, batches };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const jobs = (count: number): Job[] => Array.from({ length: count }, (_, n) => ({ n }));

describe('GroupCommit', () => {
  it('puts what has arrived into one transaction, in order, up to the bound', async () => {
    const { group, committed, batches } = harness();
    const answers = await Promise.all(jobs(25).map((job) => group.submit(job)));
    expect(answers).toEqual(jobs(25).map(({ n }) => n * 2));
    expect(committed).toEqual(jobs(25).map(({ n }) => n));
    expect(batches).toEqual([10, 10, 5]);
  });

  it('waits for jobs that keep coming turn after turn, and for no others', async () => {
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

  it('waits for jobs that are expected, and no longer than a few milliseconds', async () => {
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const { group, batches } = harness(undefined, () => 3);
    const started = performance.now();
    await Promise.all([1, 2, 3].map(async (n) => (await pause(n - 1), group.submit({ n }))));
    expect(batches).toEqual([3]);
    await group.submit({ n: 4 });
    expect(batches).toEqual([3, 1]);
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('gives a job heavier than the bound a transaction of its own', async () => {
    const { group, batches } = harness();
    await Promise.all([{ n: 1 }, { n: 2, rows: 50 }, { n: 3 }].map((job) => group.submit(job)));
    expect(batches).toEqual([1, 1, 1]);
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

  it('is idle once everything is answered', async () => {
    const { group, committed } = harness();
    for (const job of jobs(12)) void group.submit(job);
    await group.idle();
    expect(committed).toHaveLength(12);
  });
});
