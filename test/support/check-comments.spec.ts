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

  const check = (...texts: string[]) => {
    for (const [n, text] of texts.entries()) writeFileSync(join(root, `libs/${n}.ts`), text);
    return spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });
  };

  it('takes comments that say what they are about', () => {
    const text = '/** Size of the file, as the caller sent it. */\n// Offsets are kept.\nconst As = 1;\n';
    expect(check(text)).toMatchObject({ status: 0, stderr: '' });
  });

  it('refuses those that begin in the middle', () => {
    const comments: [comment: string, word: string][] = [
      ['/** {} the file. */', 'Of'],
      ['// {} the caller sent it.', 'As'],
      ['/**\n * {} data it is.\n */', 'Whose'],
      ['  /** {} for a locked run. */', 'The same'],
    ];
    const { status, stderr } = check(...comments.map(([comment, word]) => `\n${comment.replace('{}', word)}\n`));
    expect(status).toBe(1);
    for (const [n, [, word]] of comments.entries()) {
      expect(stderr).toMatch(new RegExp(`^libs/${n}\\.ts:\\d: a comment begins with "${word}"`, 'm'));
    }
  });
});
