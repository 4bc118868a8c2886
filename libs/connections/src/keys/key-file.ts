import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
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

const OTHERS = 0o077;

/**
 * The keys in the key file of a data directory, which this process must have taken for its own. A missing file is made,
 * with a new key; one that others may read is closed to them, with a warning.
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

/**
 * Replaces the key file, at once and for good: after a crash it holds either what it held before or `keys`.
 * @throws StartError naming the file when it cannot be written.
 */
export function writeKeyFile(dataDir: string, keys: readonly SecretKey[]): void {
  const path = join(dataDir, KEY_FILE_NAME);
  const draft = `${path}.new`;
  try {
    makeDirectory(dirname(path));
    rmSync(draft, { force: true });
    const file = openSync(draft, 'wx', PRIVATE_FILE);
    try {
      writeFileSync(file, keys.map((key) => `${formatSecretKey(key)}\n`).join(''));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    syncDirectory(dataDir);
  } catch (error) {
    throw keyFileFault('written', path, error);
  }
}

function readOwn(path: string, logger: Logger): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw keyFileFault('read', path, error);
  }
  try {
    closeToOthers(file, path, logger);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw keyFileFault('read', path, error);
  } finally {
    closeSync(file);
  }
}

function closeToOthers(file: number, path: string, logger: Logger): void {
  // Windows has no such modes; it reports everything as readable by all.
  if (process.platform === 'win32' || (fstatSync(file).mode & OTHERS) === 0) return;
  try {
    fchmodSync(file, PRIVATE_FILE);
    logger.warn({ file: path }, 'the key file could be read by other users of this machine; its mode is now 0600');
  } catch (error) {
    logger.warn({ file: path, code: codeOf(error) }, 'the key file can be read by other users of this machine');
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

const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : 'unknown error');
