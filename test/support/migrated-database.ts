import type { TestPostgres } from './postgres.ts';
import { templateDatabase } from './template-database.ts';

const TEMPLATE = 'spandrel_migrated';

/** By the server's address. */
const templates = new Map<string, Promise<unknown>>();

/**
 * Makes a database without a row in it, as a server leaves it after its first start: a copy of one that the first suite of
 * a run makes. To copy takes a third of what the migrations do; those run in the suites of `test/storage`.
 * @returns its URL.
 */
export async function createMigrated(postgres: TestPostgres, name: string): Promise<string> {
  const { server } = postgres;
  if (!templates.has(server))
    templates.set(
      server,
      templateDatabase(server, TEMPLATE, async () => 'migrated'),
    );
  await templates.get(server);
  return postgres.createDatabase(name, TEMPLATE);
}
