import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { ReadWorkers } from './read-workers.js';

/** Counts for about half a second. */
const LONG = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500000) select max(i) as last from n`;
const query = (text: string) => ({ text, params: [] });

describe('ReadWorkers', () => {
  let directory: string;
  let workers: ReadWorkers;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'spandrel-readers-'));
    const file = join(directory, 'one.db');
    new Database(file).close();
    workers = new ReadWorkers(file, 2);
  });

  afterEach(async () => {
    await workers.close();
    rmSync(directory, { recursive: true });
  });

  it('keep a thread for quick reads while patient ones wait', async () => {
    const done: string[] = [];
    const run = (name: string, text: string, patient: boolean): Promise<unknown> =>
      workers.run(query(text), { patient }).then(() => done.push(name));
    const long = ['first', 'second', 'third'].map((name) => run(name, LONG, true));
    await run('quick', 'select 1', false);
    expect(done).toEqual(['quick']);
    await Promise.all(long);
    expect(done).toEqual(['quick', 'first', 'second', 'third']);
  });

  it('give quick reads all threads', async () => {
    const done: string[] = [];
    const run = (name: string, text: string): Promise<unknown> => workers.run(query(text)).then(() => done.push(name));
    await Promise.all([run('long', LONG), run('quick', 'select 1'), run('another', 'select 1')]);
    expect(done.at(-1)).toBe('long');
  });

  it('leave out a patient read that is given up while it waits', async () => {
    const running = workers.run(query(LONG), { patient: true });
    const abort = new AbortController();
    const waiting = workers.run(query('select 1'), { patient: true, signal: abort.signal });
    abort.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(workers.waiting).toBe(0);
    expect(await running).toEqual([{ last: 1_500_000 }]);
  });

  it('end a thread once it has answered: one that is cut off while it loads the driver aborts the process', async () => {
    const rows = workers.run(query('select 1 as one'));
    await workers.close();
    expect(await rows).toEqual([{ one: 1 }]);
  });
});
