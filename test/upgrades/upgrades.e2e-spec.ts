/**
 * What docs/operations.md#upgrades promises: a database of every release from 0.1.0 on opens in this version, with all that it holds
 * and the tables of a new one. `fixtures` has one of each release and database, as SQL, and what was read of it then.
 *
 * `RECORD_RELEASE=0.2.0 npm run test:system -- --testPathPatterns test/upgrades` fills and writes those of this version: once, when
 * it is released. They are never written again.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import { openStorage, type StorageConfig } from '@spandrel/storage';
import { migrations } from '../../libs/storage/src/migrations/index.js';
import { recountRun, type CountedItem, type CountedRun } from '../evals/recounted-items.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { differences } from '../support/differences.ts';
import { databaseText, restoreDatabase, tablesOf } from './database-text.ts';
import { fill, readAll, type Read } from './filled-project.ts';

const FOLDER = resolve('test/upgrades/fixtures');
const RELEASES = globSync('*', { cwd: FOLDER }).toSorted();
const RECORDED = process.env['RECORD_RELEASE'];

const open = (config: StorageConfig) => openStorage(config, { entities: [], logger: createLogger('silent', 'test') });

describeOnBothDatabases('upgrades', ({ name, newDatabase }) => {
  const fixture = (release: string, what: 'sql' | 'json'): string =>
    join(FOLDER, release, `${name.toLowerCase()}.${what}`);
  const empty = () => newDatabase('upgrade', { tables: false });

  async function record(release: string): Promise<void> {
    const config = await empty();
    await (await open(config)).close();
    const made = await statementsOf(config);
    await fill(config);
    const text = await databaseText(config, made);
    const file = fixture(release, 'sql');
    expect(existsSync(file)).toBe(false);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    writeFileSync(fixture(release, 'json'), `${JSON.stringify(await readAll(config), null, 1)}\n`);
  }

  if (RECORDED !== undefined) {
    it('are recorded', () => record(RECORDED));
  }

  for (const release of RELEASES) {
    describe(`from ${release}`, () => {
      it('keep all that the database holds', async () => {
        const config = await empty();
        await restoreDatabase(config, readFileSync(fixture(release, 'sql'), 'utf8'));
        // What newer versions report beside it is theirs, such as why an item has no score.
        const before = JSON.parse(readFileSync(fixture(release, 'json'), 'utf8'), (name, value: unknown) =>
          name === 'score_reason' && value === null ? undefined : value,
        ) as Read;
        expect(await readAll(config)).toMatchObject(before);
      });

      it('keep the numbers of runs, which are those of their items', async () => {
        const config = await empty();
        await restoreDatabase(config, readFileSync(fixture(release, 'sql'), 'utf8'));
        const then = JSON.parse(readFileSync(fixture(release, 'json'), 'utf8')) as Read;
        const now = await readAll(config);
        const runs = Object.keys(then).filter((path) => `${path}/statistics` in then);
        expect(runs.length).toBeGreaterThan(2);
        for (const path of runs) {
          for (const read of [then, now]) {
            const run = read[path] as CountedRun & { result_items: CountedItem[] };
            const counted = recountRun(run, run.result_items);
            const found = read[`${path}/statistics`];
            expect([path, differences(counted, found, 1e-9)]).toEqual([path, []]);
          }
          const rows = now[path] as { pass_mode: string };
          expect(rows.pass_mode).toBe('mean');
        }
      });

      it('end with the tables of a new database', async () => {
        const [upgraded, fresh] = [await empty(), await empty()];
        await restoreDatabase(upgraded, readFileSync(fixture(release, 'sql'), 'utf8'));
        for (const config of [upgraded, fresh]) await (await open(config)).close();
        const tables = await tablesOf(fresh);
        expect(Object.keys(tables).length).toBeGreaterThan(30);
        expect(await tablesOf(upgraded)).toEqual(tables);
      });
    });
  }
});

/** What the migrations of this version run, the library's own table included. */
async function statementsOf({ dialect }: StorageConfig): Promise<string[]> {
  const statements: string[] = [LIBRARY_TABLE[dialect]];
  for (const { class: Migration } of migrations[dialect]) {
    const migration = Object.create((Migration as unknown as { prototype: object }).prototype) as {
      addSql: (sql: string) => void;
      up: () => void | Promise<void>;
    };
    migration.addSql = (sql) => void statements.push(sql);
    await migration.up();
  }
  return statements;
}

const LIBRARY_TABLE = {
  sqlite:
    "create table mikro_orm_migrations (id integer not null primary key autoincrement, name text not null, executed_at datetime not null default (strftime('%s', 'now') * 1000))",
  postgres:
    'create table mikro_orm_migrations (id serial primary key, name varchar(255) not null, executed_at timestamptz not null default current_timestamp)',
};
