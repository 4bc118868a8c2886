import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { createLogger, StartError, Unavailable } from '@spandrel/kernel';
import { openStorage } from './open-storage.js';
import { integer, shapeOf, text } from './statements/row-shape.js';
import { sql } from './statements/sql.js';

const JOURNAL = shapeOf({ journal_mode: text(), page_size: integer() });
const TRACE = shapeOf({ trace_id: text() });
const TAG = TRACE.and(shapeOf({ project_id: text(), tag: text(), started_at: integer() }));
import type { Storage } from './storage.js';

const logger = createLogger('silent', 'test');
let directory: string;
let opened: Storage[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spandrel-open-'));
});

afterEach(async () => {
  for (const storage of opened) await storage.close();
  opened = [];
  rmSync(directory, { recursive: true, force: true });
});

const file = (): string => join(directory, 'spandrel.db');
const open = async (path = file()): Promise<Storage> => {
  const storage = await openStorage({ dialect: 'sqlite', file: path }, { entities: [], logger });
  opened.push(storage);
  return storage;
};
const insertTrace = (id: string) =>
  sql`insert into trace_tag (project_id, tag, started_at, trace_id) values ('p', 't', 1, ${id})`;

describe('openStorage on SQLite', () => {
  it('makes the directory and the database, durable settings and all', async () => {
    const storage = await open(join(directory, 'new', 'deep', 'spandrel.db'));
    const [settings] = await storage.read(JOURNAL.query`select * from pragma_journal_mode, pragma_page_size`);
    expect(settings).toEqual({ journal_mode: 'wal', page_size: 16384 });
  });

  it('refuses a directory in use, and takes it again once it is free', async () => {
    const first = await open();
    const second = open();
    await expect(second).rejects.toBeInstanceOf(StartError);
    await expect(second).rejects.toThrow(`data directory ${directory} is in use`);
    await first.close();
    await open();
  });

  it('lets others read while it is open', async () => {
    await open();
    const shell = new Database(file(), { readonly: true });
    expect(shell.prepare('select count(*) as n from trace').get()).toEqual({ n: 0 });
    shell.close();
  });

  it('refuses a file that is no database, and leaves it as it is', async () => {
    const text = 'not a database, '.repeat(100);
    writeFileSync(file(), text);
    await expect(open()).rejects.toBeInstanceOf(StartError);
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  it('refuses a directory that cannot be one', async () => {
    writeFileSync(join(directory, 'file'), '');
    const opening = open(join(directory, 'file', 'spandrel.db'));
    await expect(opening).rejects.toBeInstanceOf(StartError);
    await expect(opening).rejects.toThrow(
      `data_dir (--data-dir, SPANDREL_DATA_DIR): ${join(directory, 'file')} is a file, not a directory`,
    );
  });

  it('refuses a database made by a newer version', async () => {
    await (await open()).close();
    const newer = new Database(file());
    newer.exec("insert into mikro_orm_migrations (name) values ('29990101000000-from-the-future')");
    newer.close();
    await expect(open()).rejects.toThrow(/newer version.*from-the-future/);
  });

  it('refuses a database from before 0.1.0, says what to do, and leaves it as it is', async () => {
    const older = new Database(file());
    older.exec(`create table mikro_orm_migrations (id integer primary key, name text, executed_at datetime);
      insert into mikro_orm_migrations (name) values ('20261120124038-traces-and-spans'); create table span (id text)`);
    older.close();
    const opening = open();
    await expect(opening).rejects.toBeInstanceOf(StartError);
    await expect(opening).rejects.toThrow(/before 0\.1\.0.*export its projects.*import the files/);
    const database = new Database(file(), { readonly: true });
    const tables = database.prepare(`select name from sqlite_schema where name not like 'sqlite%'`).pluck().all();
    expect(tables).toEqual(['mikro_orm_migrations', 'span']);
    database.close();
  });

  it('runs the migrations once', async () => {
    await (await open()).close();
    await (await open()).close();
    const database = new Database(file(), { readonly: true });
    const names = database.prepare('select name from mikro_orm_migrations').pluck().all();
    expect(new Set(names).size).toBe(names.length);
    database.close();
  });
});

describe('Storage', () => {
  it('keeps nothing of a write that throws', async () => {
    const storage = await open();
    const failing = storage.write(async (tx) => {
      await tx.run(insertTrace('a'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await storage.read(TAG.query`select * from trace_tag`)).toEqual([]);
  });

  it('runs writes one after the other, and shows readers committed rows only', async () => {
    const storage = await open();
    const counts: number[] = [];
    const write = (id: string): Promise<void> =>
      storage.write(async (tx) => {
        await tx.run(insertTrace(id));
        await new Promise((resolve) => setTimeout(resolve, 5));
        counts.push((await storage.read(TAG.query`select * from trace_tag`)).length);
      });
    await Promise.all([write('a'), write('b'), write('c')]);
    expect(counts).toEqual([0, 1, 2]);
    expect(await storage.readLong(TRACE.query`select trace_id from trace_tag order by 1`)).toEqual(
      ['a', 'b', 'c'].map((id) => ({ trace_id: id })),
    );
  });

  it('says that the database is unavailable when it is, and nothing else', async () => {
    const storage = await open();
    await expect(storage.readLong(TAG.query`select * from no_such_table`)).rejects.toThrow('no such table');
    const full = storage.write(async () => {
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
    });
    await expect(full).rejects.toBeInstanceOf(Unavailable);
    await storage.write((tx) => tx.run(insertTrace('after')));
  });

  it('gives up a long read that nobody waits for', async () => {
    const storage = await open();
    const gone = new AbortController();
    const endless = shapeOf({ i: integer() })
      .query`with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000) select max(i) as i from n`;
    const reads = Array.from({ length: 4 }, () => storage.readLong(endless, { signal: gone.signal }));
    gone.abort(new Error('gone'));
    for (const read of reads) await expect(read).rejects.toThrow('gone');
    expect(await storage.readLong(shapeOf({ one: integer() }).query`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it('finishes what was accepted before it closes', async () => {
    const storage = await open();
    const group = storage.groupCommit<string, void>({
      weigh: () => 1,
      async apply(tx, ids) {
        for (const id of ids) await tx.run(insertTrace(id));
        return ids.map(() => ({ answer: undefined }));
      },
    });
    const writes = Array.from({ length: 30 }, (_, n) => group.submit(`t${n}`));
    await storage.close();
    await Promise.all(writes);
    const database = new Database(file(), { readonly: true });
    expect(database.prepare('select count(*) from trace_tag').pluck().get()).toBe(30);
    database.close();
  });
});
