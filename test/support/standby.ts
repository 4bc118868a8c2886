import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeBaseBackup } from './base-backup.ts';
import { startOwnPostgres, withClient, type OwnPostgres } from './postgres.ts';

/** A standby of a Postgres by streaming replication, started. @param name by which the primary knows it. */
export async function startStandby(primary: OwnPostgres, name: string): Promise<OwnPostgres> {
  const from = await takeBaseBackup(primary);
  const signal = join(from, 'standby.signal');
  writeFileSync(signal, '');
  const { uid, gid } = statSync(from);
  chownSync(signal, uid, gid);
  const { hostname, port, username, password } = new URL(primary.server);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`;
  return startOwnPostgres([`primary_conninfo=${conninfo}`], { files: from, isStandby: true });
}

/** Makes a standby the primary. */
export const promote = (standby: OwnPostgres): Promise<unknown> =>
  withClient(standby.server, (client) => client.query('select pg_promote()'));
