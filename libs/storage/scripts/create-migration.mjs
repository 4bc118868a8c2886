/**
 * Writes the migration that takes the newest schema to the entities, for both databases:
 *   node libs/storage/scripts/create-migration.mjs <name>
 * and registers it in the two `migrations/<dialect>/index.ts`. Writes nothing where nothing changed.
 */
import 'reflect-metadata';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const { openOrm } = await importSource('libs/storage/src/open-orm.ts');
const { migrate } = await importSource('libs/storage/src/migrations/migrate.ts');
const { startPostgres } = await importSource('test/support/postgres.ts');

const entities = [];
for (const file of globSync('libs/*/src/**/*.entity.ts', { cwd: root }).sort()) {
  const module = await importSource(file);
  entities.push(...Object.values(module).filter((value) => value?.meta?.tableName));
}

const logger = { debug() {}, warn: console.warn };
const directory = mkdtempSync(join(tmpdir(), 'spandrel-migration-'));
const postgres = await startPostgres();
try {
  await create('sqlite', { dialect: 'sqlite', file: join(directory, 'spandrel.db') });
  await create('postgres', { dialect: 'postgres', url: await postgres.createDatabase('migration') });
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true });
}

async function create(dialect, config) {
  const connections = await openOrm(config, { entities, logger });
  try {
    await migrate(connections.orm, dialect, connections.pool);
    const statements = await connections.orm.schema.getUpdateSchemaSQL({ wrap: false });
    const lines = statements
      .split(/;\s*\n/)
      .map((line) => line.trim().replace(/;$/, ''))
      .filter(Boolean);
    if (lines.length === 0) return console.log(`${dialect}: nothing changed`);
    write(dialect, lines);
  } finally {
    await connections.close();
  }
}

function write(dialect, statements) {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const pascal = name.replace(/(^|-)([a-z0-9])/g, (_, _dash, letter) => letter.toUpperCase());
  const folder = join(root, 'libs/storage/src/migrations', dialect);
  const file = `${stamp}-${name}`;
  const body = statements.map(
    (sql) =>
      `    this.addSql(${JSON.stringify(sql).includes("'") ? '`' + sql.replaceAll('`', '\\`') + '`' : `'${sql}'`});`,
  );
  writeFileSync(
    join(folder, `${file}.ts`),
    `import { Migration } from '@mikro-orm/migrations';\n\nexport class ${pascal} extends Migration {\n  override up(): void {\n${body.join('\n')}\n  }\n}\n`,
  );
  const index = join(folder, 'index.ts');
  const text = readFileSync(index, 'utf8')
    .replace(/(import type .*\n(?:import .*\n)*)/, `$1import { ${pascal} } from './${file}.js';\n`)
    .replace(/\n?\];\s*$/, `\n  { name: '${file}', class: ${pascal} },\n];\n`);
  writeFileSync(index, text);
  console.log(`${dialect}: ${join(folder, file)}.ts`);
}
