import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

describe('scripts/check-regexps.mjs', () => {
  let root: string;
  beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'spandrel-regexps-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('finds expressions that a text can hold, and those that it cannot check', () => {
    const folder = join(root, 'apps/birds/src');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'bird.ts'),
      [
        String.raw`const linear = [/(?<!\/)\/+$/, /\s+/g, /[a-z]{1,20}-\d+/i, /^(?<name>\w+)$/v];`,
        String.raw`const slashes = url.replace(/\/+$/, '');`,
        String.raw`const exponential = /^(a+)+$/;`,
        String.raw`const triedEverywhere = /\[:[^\]]*?:\]/y;`,
        String.raw`const lookAhead = /\b(?=[\w-]*\d)(?=[\w-]{8})[\w-]+/g;`,
        'const made = new RegExp(`${name}*`);',
        String.raw`const overflows = /^[a-z]{8,}$/;`,
      ].join('\n'),
    );
    const { stderr } = spawnSync(process.execPath, [resolve('scripts/check-regexps.mjs'), root], { encoding: 'utf8' });
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.slice(0, 48)),
    ).toEqual([
      expect.stringContaining('bird.ts:6: made at run time'),
      expect.stringContaining('bird.ts:7: {n,} overflows'),
      expect.stringContaining('bird.ts:2: 2nd degree'),
      expect.stringContaining('bird.ts:3: exponential'),
      expect.stringContaining('bird.ts:4: 2nd degree'),
      expect.stringContaining('bird.ts:5: 2nd degree'),
    ]);
  });
});
