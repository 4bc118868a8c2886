import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const CHECK = resolve('scripts/check-comments.mjs');

describe('scripts/check-comments.mjs', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'spandrel-comments-'));
    mkdirSync(join(root, 'libs'));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const check = (text: string) => {
    writeFileSync(join(root, 'libs/a.ts'), text);
    return spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });
  };

  it('takes comments that say what they are about', () => {
    const text = '/** Size of the file, as the caller sent it. */\n// Offsets are kept.\nconst As = 1;\n';
    expect(check(text)).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['/** {} the file. */', 'Of'],
    ['// {} the caller sent it.', 'As'],
    ['/**\n * {} data it is.\n */', 'Whose'],
    ['  /** {} for a locked run. */', 'The same'],
  ])('refuses %j with %s', (comment, word) => {
    const { status, stderr } = check(`\n${comment.replace('{}', word)}\n`);
    expect(status).toBe(1);
    expect(stderr).toMatch(new RegExp(`^libs/a\\.ts:\\d: a comment begins with "${word}"`));
  });
});
