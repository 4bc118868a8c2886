/** Postgres with pgvector in the process of a test: the one of `startPostgres` has no such extension. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';

/** Opens an empty database of its own, which has loaded the extension once: that takes long on a busy machine. The caller closes it. */
export async function openVectorPostgres(): Promise<PGlite> {
  const file = emptyDirectoryFile();
  if (!existsSync(file)) await makeEmptyDirectory(file);
  const database = await PGlite.create({ extensions: { vector }, loadDataDir: new Blob([readFileSync(file)]) });
  await database.exec('create extension vector; drop extension vector');
  return database;
}

/** The data directory of a new database: to make one takes three seconds, to read it less than one. It goes with node_modules. */
function emptyDirectoryFile(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8')) as { version: string };
  return resolve('node_modules/.cache/test-pglite', `${version}.tar`);
}

/** Several workers may begin at once: each puts a whole file in place. */
async function makeEmptyDirectory(file: string): Promise<void> {
  const empty = await PGlite.create();
  const dumped = await empty.dumpDataDir('none');
  await empty.close();
  mkdirSync(dirname(file), { recursive: true });
  const made = `${file}.${process.pid}`;
  writeFileSync(made, Buffer.from(await dumped.arrayBuffer()));
  renameSync(made, file);
}
