import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSettingsFile } from './path-fault.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-files-'));
  writeFileSync(join(folder, 'file'), 'a: 1\n');
  writeFileSync(join(folder, 'large'), 'x'.repeat(5_000_000));
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const pipe = (name: string): string => {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
};

describe('readSettingsFile', () => {
  it('has the whole text of a file, and of none at all', () => {
    expect(readSettingsFile(join(folder, 'file'))).toBe('a: 1\n');
    expect(readSettingsFile('/dev/null')).toBe('');
  });

  it('reads a pipe to its end, however slowly it comes', () => {
    const path = pipe('slow');
    const script = `printf 'a: 1\\n' >&3; sleep 0.1; printf 'b: 2\\n' >&3`;
    const writer = spawn('sh', ['-c', `exec 3<>"$1"; ${script}; sleep 0.3`, 'sh', path], { stdio: 'ignore' });
    try {
      expect(readSettingsFile(path)).toBe('a: 1\nb: 2\n');
    } finally {
      writer.kill();
    }
  });

  it.each([
    ['absent', 'does not exist'],
    ['', 'is a directory, not a file'],
    ['file/x', 'goes through a file as if that were a directory'],
    ['dangling', 'does not exist'],
    ['n'.repeat(300), 'has a name that is too long'],
    ['large', 'has more than 4194304 bytes'],
  ])('says of %s what is in the way', (name, reason) => {
    const path = name === '' ? folder : join(folder, name);
    expect(() => readSettingsFile(path)).toThrow(`${path} ${reason}`);
  });

  it('ends where there is no end, and where nobody writes', () => {
    expect(() => readSettingsFile('/dev/zero')).toThrow('/dev/zero has more than 4194304 bytes');
    const path = pipe('silent');
    expect(() => readSettingsFile(path)).toThrow(`${path} is a pipe that nothing comes from`);
  });
});
