import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as afterMs } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type TaskFailure, TaskPool, type TaskPoolOptions, Rotation } from './task-pool.js';

const TASKS = `
  import { threadId, workerData } from 'node:worker_threads';
  export const double = (number) => number * 2;
  export const thread = () => threadId;
  export const data = () => workerData;
  export const lengthOf = (buffer) => buffer.byteLength;
  export const soon = (ms) => new Promise((resolve) => setTimeout(() => resolve('later'), ms));
  export const endless = (counter) => { for (;;) Atomics.add(new Int32Array(counter), 0, 1); };
  export const backtrack = () => /^(a+)+$/.test('a'.repeat(60) + '!');
  export const fail = (text) => { throw new RangeError(text); };
  export const eat = () => { const all = []; for (;;) all.push(new Array(100_000).fill(all)); };
  export const leave = () => process.exit(3);
`;

interface Exported {
  double(number: number): number;
  thread(input: null): number;
  data(input: null): unknown;
  lengthOf(buffer: ArrayBuffer): number;
  soon(ms: number): string;
  endless(counter: SharedArrayBuffer): void;
  backtrack(input: null): boolean;
  fail(text: string): void;
  eat(input: null): void;
  leave(input: null): void;
}

/** Enough for a task that ends, on a machine that others use too. */
const PATIENT = { deadlineMs: 60_000 };
const HASTY = { deadlineMs: 50 };

describe('TaskPool', () => {
  let folder: string;
  let file: string;
  const pools: TaskPool<Exported>[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'spandrel-tasks-'));
    file = join(folder, 'tasks.mjs');
    writeFileSync(file, TASKS);
  });
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));
  afterAll(() => rmSync(folder, { recursive: true }));

  function makePool(options: Partial<TaskPoolOptions> = {}): TaskPool<Exported> {
    const pool = new TaskPool<Exported>({ file, startMs: 60_000, ...options });
    pools.push(pool);
    return pool;
  }
  const reasonOf = (task: Promise<unknown>): Promise<string> =>
    task.then(
      () => 'none',
      (failure: TaskFailure) => failure.reason,
    );

  it('runs what the file exports, in one thread after the other', async () => {
    const pool = makePool({ data: { rules: ['one'] } });
    expect(await Promise.all([1, 2, 3].map((number) => pool.run('double', number, PATIENT)))).toEqual([2, 4, 6]);
    expect(await pool.run('data', null, PATIENT)).toEqual({ rules: ['one'] });
    expect(await pool.run('soon', 1, PATIENT)).toBe('later');
    expect(await pool.run('thread', null, PATIENT)).toBe(await pool.run('thread', null, PATIENT));
  });

  it('moves what is to be transferred', async () => {
    const buffer = new ArrayBuffer(8);
    expect(await makePool().run('lengthOf', buffer, { ...PATIENT, transfer: [buffer] })).toBe(8);
    expect(buffer.detached).toBe(true);
  });

  it('ends an endless loop at the deadline, and goes on with another thread', async () => {
    const pool = makePool();
    const counter = new SharedArrayBuffer(4);
    expect(await reasonOf(pool.run('endless', counter, HASTY))).toBe('deadline');
    expect(await pool.run('double', 4, PATIENT)).toBe(8);
    const counted = new Int32Array(counter)[0];
    await afterMs(50);
    expect(new Int32Array(counter)[0]).toBe(counted);
    expect(counted).not.toBe(0);
    expect(await reasonOf(pool.run('backtrack', null, HASTY))).toBe('deadline');
  });

  it('lets those that wait go on after a deadline', async () => {
    const pool = makePool();
    const first = reasonOf(pool.run('endless', new SharedArrayBuffer(4), HASTY));
    const waiting = [pool.run('double', 1, PATIENT), pool.run('double', 2, PATIENT)];
    expect(await first).toBe('deadline');
    expect(await Promise.all(waiting)).toEqual([2, 4]);
  });

  it('does not count the time for which a thread starts or another task runs', async () => {
    const slow = join(folder, 'slow.mjs');
    writeFileSync(slow, `await new Promise((resolve) => setTimeout(resolve, 2_000));\n${TASKS}`);
    const pool = makePool({ file: slow });
    const long = pool.run('soon', 2_000, PATIENT);
    expect(await pool.run('soon', 1, { deadlineMs: 1_500 })).toBe('later');
    expect(await long).toBe('later');
  });

  it('refuses a task at once when as many as may wait do', async () => {
    const pool = makePool({ queueMax: 1 });
    const running = pool.run('soon', 100, PATIENT);
    const waiting = pool.run('double', 1, PATIENT);
    expect(await reasonOf(pool.run('double', 2, PATIENT))).toBe('full');
    expect([await running, await waiting]).toEqual(['later', 2]);
    expect(await pool.run('double', 3, PATIENT)).toBe(6);
  });

  it('lets groups take turns, and refuses none for what another has waiting', async () => {
    const pool = makePool({ queueMax: 2 });
    const order: string[] = [];
    const run = (group: string): Promise<unknown> =>
      pool.run('double', 1, { ...PATIENT, group }).then(() => order.push(group));
    const all = [run('busy'), run('busy'), run('busy')];
    expect(await reasonOf(run('busy'))).toBe('full');
    await Promise.all([...all, run('quiet')]);
    expect(order).toEqual(['busy', 'busy', 'quiet', 'busy']);
  });

  it('runs as many at a time as it has threads', async () => {
    const pool = makePool({ threadsMax: 2 });
    const long = reasonOf(pool.run('endless', new SharedArrayBuffer(4), PATIENT));
    expect(await pool.run('double', 1, PATIENT)).toBe(2);
    expect(pool.size).toBe(1);
    await pool.close();
    expect(await long).toBe('closed');
  });

  it('says that a task threw, left or used up its memory, and goes on', async () => {
    const pool = makePool({ heapMb: 32 });
    const failure = await pool.run('fail', 'secret text', PATIENT).catch((error: TaskFailure) => error);
    expect(failure).toMatchObject({ reason: 'failed', cause: { message: 'secret text' } });
    expect((failure as TaskFailure).message).not.toContain('secret');
    expect(await reasonOf(pool.run('leave', null, PATIENT))).toBe('failed');
    expect(await reasonOf(pool.run('eat', null, PATIENT))).toBe('failed');
    expect(await pool.run('double', 2, PATIENT)).toBe(4);
  });

  it('fails what no thread can be started for', async () => {
    const broken = join(folder, 'broken.mjs');
    writeFileSync(broken, 'throw new Error("cannot start");');
    expect(await reasonOf(makePool({ file: broken }).run('double', 1, PATIENT))).toBe('failed');
    const hanging = join(folder, 'hanging.mjs');
    writeFileSync(hanging, 'for (;;);');
    expect(await reasonOf(makePool({ file: hanging, startMs: 100 }).run('double', 1, PATIENT))).toBe('deadline');
    expect(await reasonOf(makePool({ file: join(folder, 'missing.mjs') }).run('double', 1, PATIENT))).toBe('failed');
  });

  it('ends everything when it is closed', async () => {
    const pool = makePool();
    const counter = new SharedArrayBuffer(4);
    const running = reasonOf(pool.run('endless', counter, PATIENT));
    const waiting = reasonOf(pool.run('double', 1, PATIENT));
    while (new Int32Array(counter)[0] === 0) await afterMs(5);
    await pool.close();
    expect([await running, await waiting]).toEqual(['closed', 'closed']);
    expect(await reasonOf(pool.run('double', 1, PATIENT))).toBe('closed');
  });

  it('lets a thread without a task end, and a program with it', async () => {
    const pool = makePool({ idleMs: 1 });
    const first = await pool.run('thread', null, PATIENT);
    await afterMs(100);
    expect(await pool.run('thread', null, PATIENT)).not.toBe(first);
  });

  it('works in a thread itself', async () => {
    const script = `
      import { parentPort } from 'node:worker_threads';
      const { TaskPool } = await import(${JSON.stringify(new URL('./task-pool.ts', import.meta.url).href)});
      const pool = new TaskPool({ file: ${JSON.stringify(file)} });
      const ended = await pool.run('endless', new SharedArrayBuffer(4), { deadlineMs: 50 }).catch(({ reason }) => reason);
      const doubled = await pool.run('double', 21, { deadlineMs: 60_000 });
      await pool.close();
      parentPort.postMessage([ended, doubled]);`;
    const sources = new URL('../../../../scripts/load-typescript.mjs', import.meta.url).href;
    const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const worker = new Worker(url, { execArgv: ['--import', sources] });
    const answer = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    expect(answer).toEqual(['deadline', 42]);
    await worker.terminate();
  });
});

/** What comes out, in order. */
function drained(rotation: Rotation<string>): string[] {
  const out: string[] = [];
  for (let item = rotation.take(); item !== undefined; item = rotation.take()) out.push(item);
  return out;
}

describe('a rotation', () => {
  it('has organizations take turns, within them projects, within these runs', () => {
    const rotation = new Rotation<string>();
    for (const run of ['r1', 'r2']) for (const n of [1, 2]) rotation.add(['a', 'p1', run], `a/p1/${run}/${n}`);
    rotation.add(['a', 'p2', 'r1'], 'a/p2/r1/1');
    rotation.add(['b', 'p1', 'r1'], 'b/p1/r1/1');
    rotation.add(['b', 'p1', 'r1'], 'b/p1/r1/2');
    expect(rotation.size).toBe(7);
    expect(drained(rotation)).toEqual([
      ...['a/p1/r1/1', 'b/p1/r1/1'],
      ...['a/p2/r1/1', 'b/p1/r1/2'],
      ...['a/p1/r2/1', 'a/p1/r1/2', 'a/p1/r2/2'],
    ]);
    expect([rotation.size, rotation.take()]).toEqual([0, undefined]);
  });

  it('gives one that comes late its turn after one of each other, however much these have waiting', () => {
    const rotation = new Rotation<string>();
    for (let run = 0; run < 100; run++) for (let n = 0; n < 50; n++) rotation.add(['many', 'p', `r${run}`], 'many');
    rotation.add(['late', 'p', 'r'], 'late');
    expect([rotation.take(), rotation.take(), rotation.take()]).toEqual(['many', 'late', 'many']);
    rotation.add(['late', 'p', 'r'], 'late');
    expect([rotation.take(), rotation.take()]).toEqual(['many', 'late']);
    expect(drained(rotation)).toHaveLength(4_997);
  });

  it('keeps the order of what has no groups', () => {
    const rotation = new Rotation<number>();
    const all = Array.from({ length: 5_000 }, (_, n) => n);
    for (const n of all) rotation.add([], n);
    const out = all.map(() => rotation.take());
    expect(out).toEqual(all);
  });
});
