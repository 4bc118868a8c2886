import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StartError } from '../errors.js';
import { useDirectory } from './use-directory.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-files-'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What is said of a directory, `here` standing for the folder of this suite. */
function faultOf(directory: string): string | undefined {
  try {
    useDirectory('data_dir (--data-dir)', directory);
    return undefined;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    expect(error.faults).toHaveLength(1);
    return error.faults[0]!.replaceAll(folder, 'here');
  }
}

describe('useDirectory', () => {
  it('makes what is missing, for its owner alone, and leaves nothing in it', () => {
    const path = join(folder, 'deep', 'er');
    useDirectory('x', path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    useDirectory('x', path);
    expect(readdirSync(path)).toEqual([]);
  });

  it.each([
    ['file', 'here/file is a file, not a directory'],
    ['file/data', 'here/file/data cannot be made: here/file is a file, not a directory'],
    ['file/deep/data', 'here/file/deep/data cannot be made: here/file is a file, not a directory'],
    ['dangling', 'here/dangling is a link to something that does not exist'],
    ['dangling/data', 'here/dangling/data cannot be made: here/dangling is a link to something that does not exist'],
    ['loop', 'here/loop is a link that leads to itself'],
    [`a/${'n'.repeat(256)}`, `here/a/${'n'.repeat(256)} has a name that is too long`],
    [`a/${'n/'.repeat(4_000)}`, expect.stringContaining('has a name that is too long')],
    ['nul\0', 'here/nul\0 has a name that the file system does not take'],
  ])('says of %j what is in the way', (path, fault) => {
    const expected = typeof fault === 'string' ? `data_dir (--data-dir): ${fault}` : fault;
    expect(faultOf(join(folder, path))).toEqual(expected);
  });

  it('makes nothing beside a path that cannot be made', () => {
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });
});

const onLinux = process.platform === 'linux' ? describe : describe.skip;

// Node's own way to make directories never comes back from there.
onLinux('useDirectory in a place of the system', () => {
  it.each([
    ['/proc/x', '/proc/x is in a place where nobody can make directories'],
    ['/proc/x/y', '/proc/x/y cannot be made: /proc/x is in a place where nobody can make directories'],
    ['/proc', '/proc is in a place where nobody can make files'],
    ['/proc/self', '/proc/self is in a place where nobody can make files'],
    ['/dev/null', '/dev/null is a file, not a directory'],
    ['/dev/null/data', '/dev/null/data cannot be made: /dev/null is a file, not a directory'],
    ['/sys/x', expect.stringMatching(/\/sys\/x (may not be|is on a file system that is read-only)/)],
  ])('says of %s what is in the way', (path, fault) => {
    const expected = typeof fault === 'string' ? `data_dir (--data-dir): ${fault}` : fault;
    expect(faultOf(path)).toEqual(expected);
  });
});
