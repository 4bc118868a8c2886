import { databaseUrl, withClient } from './postgres.ts';
import { startSpandrel, type Spandrel } from './spandrel.ts';
import { cloudEnvironment } from './tenant.ts';

/**
 * Makes a database that others are copies of, once a Postgres server: suites of other workers wait for the first that asks.
 * @param fill gets a server of cloud mode that has started on it; what it reports is kept with the database, as JSON.
 * @returns what `fill` reported, then or now.
 */
export async function templateDatabase<Note>(
  server: string,
  name: string,
  fill: (program: Spandrel) => Promise<Note>,
): Promise<Note> {
  return withClient(server, async (client) => {
    await client.query(`select pg_advisory_lock(hashtext('${name}'))`);
    const note = `select shobj_description(oid, 'pg_database') as note from pg_database where datname = '${name}'`;
    const known = (await client.query<{ note: string | null }>(note)).rows[0];
    if (known?.note) return JSON.parse(known.note) as Note;
    if (!known) await client.query(`create database ${name}`);
    const program = await startSpandrel({
      command: 'server',
      env: { ...cloudEnvironment(databaseUrl(server, name)), SPANDREL_SHUTDOWN_DELAY: '0' },
    });
    const reported = await fill(program);
    await program.stop();
    await client.query(`comment on database ${name} is '${JSON.stringify(reported)}'`);
    return reported;
  });
}
