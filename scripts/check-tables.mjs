/**
 * Checks that a feature reads and writes its own tables only: SQL in a lib may name the tables of the entities of that lib,
 * and no others. Migrations, which make all tables, are left out; tests are not looked at.
 *
 * `node scripts/check-tables.mjs [root]` prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import fs, { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const sources = fs
  .globSync('libs/*/src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.spec.ts') && !file.includes('/migrations/'));
const read = (file) => readFileSync(join(root, file), 'utf8');
const libOf = (file) => file.split('/')[1];

/** Which lib has a table, by its name. */
const owners = new Map();
for (const file of sources.filter((name) => name.endsWith('.entity.ts'))) {
  for (const { 1: table } of read(file).matchAll(/\btableName: '(\w+)'/g)) owners.set(table, libOf(file));
}
if (owners.size === 0) throw new Error('no entity names a table');

/** A table as a statement names it, also within a template, and as the only content of a text in a store. */
const IN_SQL = /\b(?:from|join|into|update|table|only|truncate|on)\s+"?([a-z_]+)"?(?![\w.(])/gi;
const ALONE = /'([a-z_]+)(?: \w)?'/g;
const TEXTS = /`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g;
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

const faults = [];
for (const file of sources) {
  const text = read(file).replace(COMMENTS, (comment) => comment.replace(/[^\n]/g, ' '));
  for (const { 0: piece, index } of text.matchAll(TEXTS)) {
    for (const { 1: table } of piece.matchAll(IN_SQL)) check(file, text, index, table);
    if (!/\.(store|sql)\.ts$/.test(file)) continue;
    // A name with an underscore is a table's; `span` and `trace` alone are words of many meanings.
    for (const { 1: table } of piece.matchAll(ALONE)) if (table.includes('_')) check(file, text, index, table);
  }
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function check(file, text, index, table) {
  const owner = owners.get(table);
  if (owner === undefined || owner === libOf(file)) return;
  const line = text.slice(0, index).split('\n').length;
  faults.push(`${file}:${line}: the table ${table} is of libs/${owner}; ask that lib for what is in it`);
}
