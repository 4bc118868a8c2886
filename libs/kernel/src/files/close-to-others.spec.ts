import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { closeDirectory, closeFiles, makeDirectory } from './use-directory.js';

let folder: string;
let lines: [object, string][];
const logger = { warn: (...line: unknown[]) => void lines.push(line as [object, string]) } as never;
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-modes-'));
  lines = [];
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function directory(mode: number): string {
  const path = join(folder, 'data');
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

function file(name: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, 'x');
  chmodSync(path, mode);
  return path;
}

describe('a directory of Spandrel', () => {
  it.each([0o000, 0o077])('is made for its owner alone under the umask %i', (umask) => {
    const before = process.umask(umask);
    try {
      makeDirectory(join(folder, 'a', 'b'));
    } finally {
      process.umask(before);
    }
    expect(['a', 'a/b'].map((path) => modeOf(join(folder, path)))).toEqual(['700', '700']);
  });

  it.each([0o755, 0o777, 0o750, 0o770, 0o701])('with the mode %i is closed to others, with a line', (mode) => {
    const path = directory(mode);
    expect(closeDirectory(path, logger)).toBe(false);
    expect([modeOf(path), lines]).toEqual([
      '700',
      [[{ directory: path, mode: `0${mode.toString(8)}` }, expect.stringContaining('its mode is now 0700')]],
    ]);
    expect([closeDirectory(path, logger), lines.length]).toEqual([false, 1]);
  });

  it('keeps the rights of its group where the setgid bit says so', () => {
    const path = directory(0o2775);
    expect([closeDirectory(path, logger), modeOf(path)]).toEqual([true, '2770']);
    expect([closeDirectory(path, logger), lines.length]).toEqual([true, 1]);
  });

  it('of another owner is left as it is, with a warning', () => {
    const path = directory(0o755);
    jest.spyOn(process as Required<NodeJS.Process>, 'getuid').mockReturnValue(process.getuid!() + 1);
    expect([closeDirectory(path, logger), modeOf(path)]).toEqual([false, '755']);
    expect(lines).toEqual([
      [
        { directory: path, mode: '0755', reason: expect.stringContaining('belongs to another user') },
        'other users of this machine have rights in a directory of Spandrel',
      ],
    ]);
  });

  it('that everybody uses, or that the program was started in, is left as it is, with a warning', () => {
    const shared = directory(0o1777);
    closeDirectory(shared, logger);
    const started = join(folder, 'started');
    mkdirSync(join(started, 'in'), { recursive: true });
    chmodSync(started, 0o755);
    jest.spyOn(process, 'cwd').mockReturnValue(join(started, 'in'));
    closeDirectory(started, logger);
    expect([modeOf(shared), modeOf(started)]).toEqual(['1777', '755']);
    expect(lines.map(([fields]) => (fields as { reason: string }).reason)).toEqual([
      expect.stringContaining('used for other things'),
      expect.stringContaining('used for other things'),
    ]);
  });
});

describe('files of Spandrel', () => {
  it('are closed to others, with one line for all', () => {
    const files = [file('a', 0o644), file('b', 0o666), file('c', 0o600), join(folder, 'missing')];
    closeFiles(files, false, logger);
    expect(files.slice(0, 3).map(modeOf)).toEqual(['600', '600', '600']);
    expect(lines).toEqual([[{ files: files.slice(0, 2), count: 2 }, expect.stringContaining('could use files')]]);
  });

  it('keep the rights of the group that the operator chose', () => {
    const path = file('a', 0o664);
    closeFiles([path], true, logger);
    expect(modeOf(path)).toBe('660');
  });

  it('of another owner are left as they are, with a warning', () => {
    const path = file('a', 0o644);
    jest.spyOn(process as Required<NodeJS.Process>, 'getuid').mockReturnValue(process.getuid!() + 1);
    closeFiles([path], false, logger);
    expect([modeOf(path), lines]).toEqual([
      '644',
      [[{ files: [path], count: 1 }, expect.stringContaining('can use files')]],
    ]);
  });
});
