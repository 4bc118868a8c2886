import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const CHECK = resolve('scripts/check-comments.mjs');
/** Written so that the check of references does not look for it here. */
const PAGE = `docs/page.${'md'}`;

describe('scripts/check-comments.mjs', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'spandrel-comments-'));
    for (const folder of ['libs', 'docs']) mkdirSync(join(root, folder));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const check = (texts: Record<string, string>) => {
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(root, name), text);
    return spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });
  };

  it('accepts comments that say what they are about', () => {
    const source = '/** Size of the file, as the caller sent it. */\n// Offsets are kept.\nconst As = 1;\n';
    const page = '# What it is\n\nSizes are in bytes. What is a byte? Eight bits.\n\n```\nOf code, told anew.\n```\n';
    expect(check({ 'libs/a.ts': source, [PAGE]: page })).toMatchObject({ status: 0, stderr: '' });
  });

  it('refuses those that begin in the middle', () => {
    const comments: [comment: string, word: string][] = [
      ['/** {} the file. */', 'Of'],
      ['// {} the caller sent it.', 'As'],
      ['/**\n * {} data it is.\n */', 'Whose'],
      ['  /** {} for a locked run. */', 'The same'],
      ['/** Offsets are kept. {} several the last counts. */', 'Of'],
    ];
    const texts = comments.map(([comment, word], n) => [`libs/${n}.ts`, `\n${comment.replace('{}', word)}\n`]);
    const { status, stderr } = check(Object.fromEntries(texts));
    expect(status).toBe(1);
    for (const [n, [, word]] of comments.entries()) {
      expect(stderr).toMatch(new RegExp(`^libs/${n}\\.ts:\\d: a comment or sentence begins with "${word}"`, 'm'));
    }
  });

  it('refuses words that have a plainer one, in names, texts and pages', () => {
    const { status, stderr } = check({
      'libs/name.ts': 'const told = 1;\n',
      'libs/text.ts': "fail('it was made anew');\n",
      [PAGE]: 'Items go to\nwhoever asks. `told` is a name.\n',
    });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      'libs/name.ts:1: "told" is not used here: reported, notified, given',
      'libs/text.ts:1: "anew" is not used here: again',
      `${PAGE}:1: "whoever" is not used here: anyone who`,
    ]);
  });

  it('refuses sentences of a page whose subject is a clause', () => {
    const page = 'Calls go on.\nWhat does not fit is dropped.\n\n| a | Of several the last counts. |\n';
    const { status, stderr } = check({ [PAGE]: page });
    expect(status).toBe(1);
    expect(stderr).toContain(`${PAGE}:1: a sentence begins with "What"`);
    expect(stderr).toContain(`${PAGE}:4: a sentence begins with "Of"`);
  });
});
