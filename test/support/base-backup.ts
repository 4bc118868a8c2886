import { execFile } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClient, type OwnPostgres } from './postgres.ts';
import { tempDir } from './spandrel.ts';

/**
 * Copies all files of a Postgres while it goes on, as pg_basebackup does: between the two statements that the manual of Postgres asks
 * for, with the write-ahead log up to the second one. Needs no program but `cp`.
 * @returns the folder, ready to be started.
 */
export async function takeBaseBackup({ server, dataDir }: OwnPostgres): Promise<string> {
  const folder = join(tempDir(), 'base');
  const log = join(folder, 'pg_wal');
  await withClient(server, async (client) => {
    await client.query("select pg_backup_start('base', true)");
    await copy(dataDir, folder);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    rmSync(log, { recursive: true });
    await copy(join(dataDir, 'pg_wal'), log);
    // Written into a file of the server's own user, who must be able to read it.
    renameSync(join(folder, 'postmaster.pid'), join(folder, 'backup_label'));
    writeFileSync(join(folder, 'backup_label'), rows[0]!.labelfile);
  });
  return folder;
}

/** Files that go while they are copied are no fault: the log has what became of them. */
const copy = (from: string, to: string): Promise<void> =>
  new Promise((done, failed) => {
    execFile('cp', ['-a', from, to], (error, _out, reported) => {
      const faults = reported.split('\n').filter((line) => line !== '' && !line.includes('No such file'));
      if (error && faults.length > 0) failed(new Error(faults.join('\n')));
      else done();
    });
  });
