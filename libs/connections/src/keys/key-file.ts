import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  closeFiles,
  CoreSettings,
  makeDirectory,
  pathFault,
  PRIVATE_FILE,
  settingName,
  StartError,
  type Logger,
} from '@spandrel/kernel';
import { formatSecretKey, newSecretKey, parseSecretKey, type SecretKey } from './secret-key.js';

/** In the data directory; one key a line, the current one first. */
const KEY_FILE_NAME = 'secret.key';

/**
 * The keys in the key file of a data directory. A missing file is made with a new key, and it is closed to other users.
 * @throws StartError naming the file when it cannot be read or made, or holds anything but keys.
 */
export function openKeyFile(dataDir: string, logger: Logger): SecretKey[] {
  const path = join(dataDir, KEY_FILE_NAME);
  const text = readOwn(path, logger);
  if (text !== undefined) return parseKeys(path, text);
  const keys = [newSecretKey()];
  writeKeyFile(dataDir, keys);
  return keys;
}

/** Replaces the key file, at once and for good, also in a crash. @throws StartError when it cannot be written. */
export function writeKeyFile(dataDir: string, keys: readonly SecretKey[]): void {
  const path = join(dataDir, KEY_FILE_NAME);
  const draft = `${path}.new`;
  try {
    makeDirectory(dirname(path));
    rmSync(draft, { force: true });
    const text = keys.map((key) => `${formatSecretKey(key)}\n`).join('');
    writeFileSync(draft, text, { flag: 'wx', mode: PRIVATE_FILE, flush: true });
    renameSync(draft, path);
    syncDirectory(dataDir);
  } catch (error) {
    throw keyFileFault('written', path, error);
  }
}

function readOwn(path: string, logger: Logger): string | undefined {
  try {
    closeFiles([path], false, logger);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw keyFileFault('read', path, error);
  }
}

function parseKeys(path: string, text: string): SecretKey[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const keys = lines.map(parseSecretKey);
  if (keys.length > 0 && keys.every((key) => key !== undefined)) return keys;
  throw new StartError([
    `${path}: must hold keys of 32 bytes, as base64 or hex, one a line; put it back from a backup, ` +
      'or remove it and give every provider connection its key again',
  ]);
}

/** Makes the renaming itself durable. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const keyFileFault = (what: 'read' | 'written', path: string, error: unknown): StartError => {
  const { path: refused, reason } = pathFault(path, error);
  return new StartError([
    `${settingName(CoreSettings.declared.dataDir)}: the key file ${path} cannot be ${what}: ${refused === path ? 'it' : refused} ${reason}`,
  ]);
};
