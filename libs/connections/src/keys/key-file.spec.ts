import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, StartError } from '@spandrel/kernel';
import { openKeyFile, writeKeyFile } from './key-file.js';
import { openKeyRing } from './sealing.js';
import { formatSecretKey, newSecretKey, secretKeyOf } from './secret-key.js';

let directory: string;
let file: string;
let logged: string;
const logger = createLogger('trace', 'test', { write: (line) => void (logged += line) });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spandrel-key-'));
  file = join(directory, 'secret.key');
  logged = '';
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const idsOf = (keys: readonly { id: string }[]): string[] => keys.map(({ id }) => id);
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the key file', () => {
  it('is made for its owner alone when it is missing, and read again', () => {
    const made = openKeyFile(directory, logger);
    expect(made).toHaveLength(1);
    expect(modeOf(file)).toBe(0o600);
    expect(idsOf(openKeyFile(directory, logger))).toEqual(idsOf(made));
    expect(logged).toBe('');
  });

  it('holds several keys in order while a rotation is under way', () => {
    const keys = [newSecretKey(), newSecretKey(), newSecretKey()];
    writeKeyFile(directory, keys);
    expect(idsOf(openKeyFile(directory, logger))).toEqual(idsOf(keys));
    expect(modeOf(file)).toBe(0o600);
  });

  it('may be written by hand: hex, base64, blank lines, line ends of Windows', () => {
    const [first, second] = [newSecretKey(), newSecretKey()];
    writeFileSync(file, `${first.key.export().toString('hex')}\r\n\r\n  ${formatSecretKey(second)}`, { mode: 0o600 });
    expect(idsOf(openKeyFile(directory, logger))).toEqual(idsOf([first, second]));
  });

  it('is closed to others, with a warning that shows no key', () => {
    const [key] = openKeyFile(directory, logger);
    for (const mode of [0o644, 0o640, 0o660, 0o604]) {
      logged = '';
      chmodSync(file, mode);
      expect(idsOf(openKeyFile(directory, logger))).toEqual([key!.id]);
      expect(modeOf(file)).toBe(0o600);
      expect(logged).toContain('"level":"warn"');
      expect(logged).toContain(file);
      expect(logged).not.toContain(formatSecretKey(key!).slice(0, 8));
    }
  });

  it.each([
    ['empty', ''],
    ['blank', '\n \n'],
    ['a key too short', `${'ab'.repeat(31)}\n`],
    ['a key and something else', `${'ab'.repeat(32)}\nsk-not-a-key\n`],
  ])('that is malformed (%s) stops the start, is named, is not shown and stays as it is', (_what, text) => {
    writeFileSync(file, text, { mode: 0o600 });
    let fault = '';
    try {
      openKeyFile(directory, logger);
    } catch (error) {
      expect(error).toBeInstanceOf(StartError);
      fault = (error as StartError).message;
    }
    expect(fault).toContain(file);
    expect(fault).not.toMatch(/abab|sk-not/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('that cannot be read or made stops the start and is named', () => {
    mkdirSync(file);
    expect(() => openKeyFile(directory, logger)).toThrow(StartError);
    expect(() => openKeyFile(directory, logger)).toThrow(file);
    writeFileSync(join(directory, 'plain'), '');
    expect(() => writeKeyFile(join(directory, 'plain'), [newSecretKey()])).toThrow(
      `secret.key cannot be written: ${join(directory, 'plain')} is a file, not a directory`,
    );
  });

  it('takes no harm from a write that was cut off before', () => {
    const keys = openKeyFile(directory, logger);
    writeFileSync(`${file}.new`, 'half a k', { mode: 0o644 });
    expect(idsOf(openKeyFile(directory, logger))).toEqual(idsOf(keys));
    const next = [newSecretKey(), ...keys];
    writeKeyFile(directory, next);
    expect(idsOf(openKeyFile(directory, logger))).toEqual(idsOf(next));
    expect(existsSync(`${file}.new`)).toBe(false);
    expect(modeOf(file)).toBe(0o600);
  });
});

describe('openKeyRing', () => {
  const secretKey = Buffer.alloc(32, 7);

  it('takes the key of the settings and makes no file then', () => {
    const ring = openKeyRing({ mode: 'local', dataDir: directory }, { secretKey, previousSecretKey: null }, logger);
    expect(ring.current.id).toBe(secretKeyOf(secretKey).id);
    expect(existsSync(file)).toBe(false);
  });

  it('opens with the key before too while a rotation is under way, and seals with the new one', () => {
    const previousSecretKey = Buffer.alloc(32, 9);
    const ring = openKeyRing({ mode: 'cloud', dataDir: directory }, { secretKey, previousSecretKey }, logger);
    expect(ring.current.id).toBe(secretKeyOf(secretKey).id);
    expect(ring.ids).toEqual([secretKey, previousSecretKey].map((key) => secretKeyOf(key).id));
    expect(ring.find(secretKeyOf(previousSecretKey).id)).toBeDefined();
  });

  it('takes the key file in local mode, the first key for new secrets', () => {
    const keys = [newSecretKey(), newSecretKey()];
    writeKeyFile(directory, keys);
    const ring = openKeyRing(
      { mode: 'local', dataDir: directory },
      { secretKey: null, previousSecretKey: null },
      logger,
    );
    expect(ring.current.id).toBe(keys[0]!.id);
    expect(ring.find(keys[1]!.id)).toBeDefined();
  });

  it('makes no key in cloud mode, where instances must share one', () => {
    const open = () =>
      openKeyRing({ mode: 'cloud', dataDir: directory }, { secretKey: null, previousSecretKey: null }, logger);
    expect(open).toThrow(StartError);
    expect(open).toThrow('SPANDREL_SECRET_KEY');
    expect(existsSync(file)).toBe(false);
  });
});
