import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import { createLogger, Unavailable } from '@spandrel/kernel';
import fc from 'fast-check';
import type { GroupCommit } from './group-commit.js';
import { openStorage } from '../open-storage.js';
import { shapeOf, text } from '../statements/row-shape.js';
import { sql } from '../statements/sql.js';
import type { Storage } from '../storage.js';

/** Where a job misbehaves, and how. */
const HOOKS = ['weigh', 'isLarge', 'apply', 'before', 'after', 'expected'] as const;
const WAYS = ['throws', 'rejects', 'hangs'] as const;
type Fault = { hook: (typeof HOOKS)[number]; way: (typeof WAYS)[number] };
type Job = { id: string; fault: Fault | undefined };

/** A seed of its own, so that every run tries the same; fast-check prints it with what fails. */
const SEED = 20_261_122;
const IDLE_MS = 20;

const forEver = new Promise<never>(() => undefined);

function misbehave({ way }: Fault): Promise<never> {
  if (way === 'throws') throw new Error('thrown on purpose');
  return way === 'rejects' ? Promise.reject(new Error('rejected on purpose')) : forEver;
}

/** Misbehaves as far as a function that is not asynchronous can. */
function throwFor(job: Job, hook: Fault['hook']): void {
  if (job.fault?.hook === hook) throw new Error('thrown on purpose');
}

describe('a group commit whose hooks fail', () => {
  let directory: string;
  let storage: Storage;
  let metrics: Registry;
  let submitted: Job[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'spandrel-hooks-'));
    metrics = new Registry();
    submitted = [];
    storage = await openStorage(
      { dialect: 'sqlite', file: join(directory, 'spandrel.db') },
      { entities: [], logger: createLogger('silent', 'test'), metrics, transactionIdleMs: IDLE_MS },
    );
  });

  afterEach(async () => {
    await storage.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const makeGroup = (): GroupCommit<Job, string> =>
    storage.groupCommit<Job, string>({
      weigh: (job) => (throwFor(job, 'weigh'), 1),
      rowsMax: 4,
      expected: () => {
        for (const job of submitted) throwFor(job, 'expected');
        return 0;
      },
      isLarge: (job) => (throwFor(job, 'isLarge'), false),
      apply: async (tx, jobs) => {
        for (const { id, fault } of jobs) {
          await tx.run(sql`insert into trace_tag (project_id, tag, started_at, trace_id) values ('p', ${id}, 1, 't')`);
          if (fault?.hook === 'apply') await misbehave(fault);
          if (fault?.hook === 'before') tx.end.beforeCommit(() => misbehave(fault));
          if (fault?.hook === 'after') tx.end.afterCommit(() => misbehave(fault));
        }
        return jobs.map(({ id }) => ({ answer: id }));
      },
    });

  const rows = async (): Promise<string[]> =>
    (await storage.read(shapeOf({ tag: text() }).query`select tag from trace_tag`)).map(({ tag }) => tag);

  it('answers every job by what became of it, and goes on', async () => {
    const fault = fc.option(fc.record({ hook: fc.constantFrom(...HOOKS), way: fc.constantFrom(...WAYS) }), {
      nil: undefined,
      freq: 2,
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 12 }), async (faults) => {
        const group = makeGroup();
        submitted = faults.map((each, n) => ({ id: `${round}-${n}`, fault: each }));
        round++;
        const outcomes = await Promise.allSettled(submitted.map((job) => group.submit(job)));
        const kept = new Set(await rows());
        for (const [n, { status }] of outcomes.entries()) {
          expect([submitted[n], status === 'fulfilled']).toEqual([submitted[n], kept.has(submitted[n]!.id)]);
        }
        submitted = [];
        expect(await group.submit({ id: `${round}-last`, fault: undefined })).toBe(`${round}-last`);
        await group.idle();
      }),
      { seed: SEED, numRuns: 150 },
    );
    await storage.drain();
  });

  it('answers jobs as committed when what follows the commit throws, rejects or never returns, and counts it', async () => {
    const group = makeGroup();
    const ways = WAYS.map((way) => group.submit({ id: way, fault: { hook: 'after', way } }));
    expect(await Promise.all(ways)).toEqual([...WAYS]);
    expect(await metrics.metrics()).toContain('spandrel_storage_hook_failures_total{hook="after_commit"} 2');
  });

  it('gives up a hook that never returns, with all of its transaction', async () => {
    const group = makeGroup();
    const [beside, hanging] = await Promise.allSettled([
      group.submit({ id: 'beside', fault: undefined }),
      group.submit({ id: 'hanging', fault: { hook: 'before', way: 'hangs' } }),
    ]);
    for (const lost of [beside, hanging]) {
      expect((lost as PromiseRejectedResult).reason).toBeInstanceOf(Unavailable);
    }
    expect(await rows()).toEqual([]);
    expect(await group.submit({ id: 'next', fault: undefined })).toBe('next');
    expect(await metrics.metrics()).toContain('spandrel_storage_hook_failures_total{hook="never_returned"} 1');
  });

  it('lets a transaction that was given up change nothing any more', async () => {
    const { promise: late, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: through, resolve: isThrough } = Promise.withResolvers<unknown>();
    const given = storage.write(async (tx) => {
      await late;
      await tx.run(sql`delete from trace_tag`).catch(isThrough);
    });
    await expect(given).rejects.toBeInstanceOf(Unavailable);
    const insert = sql`insert into trace_tag (project_id, tag, started_at, trace_id) values ('p', 'kept', 1, 't')`;
    await storage.write(async (tx) => {
      await tx.run(insert);
      goOn();
      expect(await through).toBeInstanceOf(Error);
    });
    expect(await rows()).toEqual(['kept']);
  });
});
