import type { TestPostgres } from './postgres.ts';
import { databaseUrl, withClient } from './postgres.ts';
import { startSpandrel } from './spandrel.ts';
import { cloudEnvironment } from './tenant.ts';

const TEMPLATE = 'spandrel_migrated';

/** By the server's address. */
const templates = new Map<string, Promise<void>>();

/**
 * Makes a database without a row in it, as a server leaves it after its first start: a copy of one that the first suite of
 * a run makes. To copy takes a third of what the migrations do; those run in the suites of `test/storage`.
 * @returns its URL.
 */
export async function createMigrated(postgres: TestPostgres, name: string): Promise<string> {
  const { server } = postgres;
  if (!templates.has(server)) templates.set(server, makeTemplate(server));
  await templates.get(server);
  return postgres.createDatabase(name, TEMPLATE);
}

async function makeTemplate(server: string): Promise<void> {
  await withClient(server, async (client) => {
    // Suites of other workers wait for the one that makes it.
    await client.query(`select pg_advisory_lock(hashtext('${TEMPLATE}'))`);
    const note = `select shobj_description(oid, 'pg_database') as note from pg_database where datname = '${TEMPLATE}'`;
    const known = (await client.query<{ note: string | null }>(note)).rows[0];
    if (known?.note) return;
    if (!known) await client.query(`create database ${TEMPLATE}`);
    const env = { ...cloudEnvironment(databaseUrl(server, TEMPLATE)), SPANDREL_SHUTDOWN_DELAY: '0' };
    await (await startSpandrel({ command: 'server', env })).stop();
    await client.query(`comment on database ${TEMPLATE} is 'migrated'`);
  });
}
