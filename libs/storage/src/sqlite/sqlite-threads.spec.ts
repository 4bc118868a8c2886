import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { ReadWorkers, CHECKPOINT_PAGES, Checkpoints } from './sqlite-threads.js';
import { openWriter } from './open-sqlite.js';

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

/** A row that takes a page of the log. */
const PAGE = 'x'.repeat(15_000);

describe('Checkpoints', () => {
  let directory: string;
  let file: string;
  let writer: Database.Database;
  let checkpoints: Checkpoints;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'spandrel-checkpoints-'));
    file = join(directory, 'one.db');
    writer = openWriter(file);
    writer.exec('create table row (id integer primary key, text text)');
    checkpoints = new Checkpoints(file, writer);
  });

  afterEach(async () => {
    await checkpoints.close();
    writer.close();
    rmSync(directory, { recursive: true });
  });

  const commit = (rows: number): void => {
    const insert = writer.prepare('insert into row (text) values (?)');
    writer.transaction(() => {
      for (let row = 0; row < rows; row++) insert.run(PAGE);
    })();
    checkpoints.afterCommit();
  };

  const log = () => writer.prepare('pragma wal_checkpoint(noop)').get() as { log: number; checkpointed: number };

  it('copies a long log beside the writer, and lets it begin again', async () => {
    commit(CHECKPOINT_PAGES);
    expect(log().checkpointed).toBe(0);
    while (log().checkpointed === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = log().log;
    let commits = 0;
    for (; log().log >= before; commits++) {
      commit(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(commits).toBeGreaterThan(0);
    const copy = new Database(file, { readonly: true });
    expect(copy.prepare('select count(*) as rows from row').get()).toEqual({ rows: CHECKPOINT_PAGES + commits });
    copy.close();
  });

  it('can be closed at any moment of a copy', async () => {
    for (let round = 0; round < 5; round++) {
      commit(CHECKPOINT_PAGES);
      while (log().checkpointed === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      // It finishes the first copy; the next one is begun by a commit 50 ms after the last look at the log.
      commit(1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      commit(CHECKPOINT_PAGES);
      await new Promise((resolve) => setTimeout(resolve, round % 4));
      await checkpoints.close();
      writer.pragma('wal_checkpoint(truncate)');
      checkpoints = new Checkpoints(file, writer);
    }
    expect(writer.prepare('select count(*) as rows from row').get()).toEqual({ rows: 5 * (2 * CHECKPOINT_PAGES + 1) });
  });

  it('hurts no commit when the thread cannot open the database', async () => {
    const lost = new Checkpoints(join(directory, 'gone.db'), writer);
    commit(CHECKPOINT_PAGES * 2);
    lost.afterCommit();
    await lost.close();
    expect(existsSync(join(directory, 'gone.db'))).toBe(false);
    commit(1);
  });
});
