import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const CHECK = resolve('scripts/check-tables.mjs');

describe('scripts/check-tables.mjs', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'spandrel-tables-'));
    put('libs/birds/src/bird.entity.ts', "defineEntity({ name: 'Bird', tableName: 'bird' })");
    put('libs/birds/src/bird.store.ts', 'sql`select b.id from bird b join bird_nest n on true`');
    put('libs/birds/src/nest.entity.ts', "defineEntity({ name: 'Nest', tableName: 'bird_nest' })");
    put('libs/cats/src/cat.entity.ts', "defineEntity({ name: 'Cat', tableName: 'cat' })");
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const check = () => spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });

  it('takes statements on tables of the lib itself', () => {
    put('libs/cats/src/cat.store.ts', 'sql`update cat set name = 1 where id in (select id from cat)`');
    expect(check()).toMatchObject({ status: 0, stderr: '' });
  });

  it('refuses each way to name the table of another lib', () => {
    const statements = {
      'a-select': 'sql`select 1 from bird`',
      'a-join-in-another-line': 'sql`select 1 from cat c\n  join bird b on true`',
      'an-insert': 'tx.run(sql`insert into bird (id) values (1)`)',
      'an-update': 'sql`update "bird" set id = 1`',
      'a-condition': 'sql`where exists (select 1 from bird b where b.id = ${id})`',
      'a-piece-of-a-statement': "rawSql('from bird')",
      'a-name-handed-to-a-function': "deleteRows(tx, 'bird_nest', where)",
    };
    for (const [what, text] of Object.entries(statements)) put(`libs/cats/src/${what}.store.ts`, text);
    const { status, stderr } = check();
    const tables = Object.keys(statements).map((what) => {
      const reported = `^libs/cats/src/${what}\\.store\\.ts:1: the table (bird(?:_nest)?) is of libs/birds`;
      return [what, new RegExp(reported, 'm').exec(stderr)?.[1]];
    });
    expect(Object.fromEntries(tables)).toEqual({
      'a-select': 'bird',
      'a-join-in-another-line': 'bird',
      'an-insert': 'bird',
      'an-update': 'bird',
      'a-condition': 'bird',
      'a-piece-of-a-statement': 'bird',
      'a-name-handed-to-a-function': 'bird_nest',
    });
    expect(status).toBe(1);
  });

  it('passes over comments, migrations and tests', () => {
    put('libs/cats/src/cat.store.ts', '/** Not `from bird`. */\n// `from bird`\nsql`select 1 from cat`');
    put('libs/storage/src/migrations/sqlite/first.ts', 'sql`create table bird`');
    put('libs/cats/src/cat.spec.ts', 'sql`select 1 from bird`');
    expect(check()).toMatchObject({ status: 0, stderr: '' });
  });
});
