import { existsSync } from 'node:fs';
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { newFileFault, pathFault, PRIVATE_FILE, StartError, type Settings } from '@spandrel/kernel';
import { ConnectionsSettings } from '@spandrel/connections';
import { backupDatabase } from '@spandrel/storage';
import { commandSettings, printFailure } from './command-settings.js';

const PROGRESS_MS = 250;

/** `spandrel backup <file>`: copies the database, also while the server runs; ends with 1 and no file when it cannot. */
export async function backup(target: string, withKey: boolean, args: readonly string[]): Promise<void> {
  try {
    if (target.startsWith('-')) throw new StartError(['backup: give the file to write first, then the settings']);
    const settings = commandSettings(args);
    if (settings.core.mode === 'cloud')
      throw new StartError(['mode: cloud mode keeps its data in Postgres; use pg_dump']);
    const database = join(settings.core.dataDir, 'spandrel.db');
    if (!existsSync(database)) throw new StartError([`${database}: there is no database to back up; check --data-dir`]);
    const file = resolve(target);
    const key = withKey ? await readKey(settings) : undefined;
    const keyFile = `${file}.key`;
    refuseExisting(...(key === undefined ? [file] : [file, keyFile]));
    await writeNew(file, (part) => backupDatabase(database, part, showProgress()));
    if (key !== undefined) await writeNew(keyFile, (part) => writeFile(part, key, { flag: 'r+' }));
    report(settings, file, key === undefined ? undefined : keyFile);
  } catch (error) {
    printFailure(error, 'backup: ');
  }
}

/** The key file of the data directory. @throws StartError when the key is not in it. */
async function readKey(settings: Settings): Promise<Buffer> {
  const { dataDir } = settings.core;
  if (settings.of(ConnectionsSettings).secretKey)
    throw new StartError([
      '--with-key: the key is set by SPANDREL_SECRET_KEY and not in a file; keep a copy of the variable',
    ]);
  try {
    return await readFile(join(dataDir, 'secret.key'));
  } catch (error) {
    throw new StartError([`--with-key: ${pathFault(join(dataDir, 'secret.key'), error).message}`]);
  }
}

function refuseExisting(...files: readonly string[]): void {
  const faults = files
    .filter((file) => existsSync(file))
    .map((file) => `${file}: is there already; nothing is overwritten`);
  if (faults.length > 0) throw new StartError(faults);
}

/** Makes a file that appears whole, on the disk, for its owner alone, and never in the place of another one. */
async function writeNew(file: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    await (await open(part, 'wx', PRIVATE_FILE)).close();
    await write(part);
    await flush(part);
    await giveName(part, file);
    await flush(dirname(file));
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError([`backup: ${file} cannot be written: ${newFileFault(file, error).message}`]);
  } finally {
    for (const rest of [part, `${part}-journal`]) await rm(rest, { force: true }).catch(() => undefined);
  }
}

async function giveName(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
  } catch (error) {
    // Some file systems know no links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    refuseExisting(file);
    await rename(part, file);
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync();
  await handle.close();
}

function showProgress(): (part: number) => void {
  if (!process.stderr.isTTY) return () => undefined;
  let shownAt = 0;
  return (part) => {
    if (part < 1 && performance.now() - shownAt < PROGRESS_MS) return;
    shownAt = performance.now();
    process.stderr.write(`\r${Math.floor(part * 100)} %${part < 1 ? '' : '\n'}`);
  };
}

function report(settings: Settings, file: string, keyFile: string | undefined): void {
  const { dataDir } = settings.core;
  process.stdout.write(`Backed up ${join(dataDir, 'spandrel.db')} to ${file}.\n`);
  if (keyFile !== undefined) {
    process.stdout.write(`Backed up the secret key to ${keyFile}; keep the two apart.\n`);
  } else {
    const key = settings.of(ConnectionsSettings).secretKey ? 'SPANDREL_SECRET_KEY' : join(dataDir, 'secret.key');
    process.stdout.write(`The keys of provider connections can only be read with ${key}, which is not in it.\n`);
  }
}
