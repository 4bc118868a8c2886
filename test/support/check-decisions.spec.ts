import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

describe('the check of decisions', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'spandrel-adr-'));
    mkdirSync(join(root, 'docs/adr'), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const check = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'docs/adr', `${name}.md`), text);
    const { status, stderr } = spawnSync(process.execPath, ['scripts/check-decisions.mjs', root], { encoding: 'utf8' });
    return {
      status,
      faults: stderr
        .split('\n')
        .filter(Boolean)
        .map((line) => line.replace('docs/adr/', '').replace('.md:', ':')),
    };
  };

  it('takes those that say where they stand', () => {
    const accepted = '# 0001: A\n\nStatus: accepted (2026-11-22). Corrected since.\n';
    const superseded = '# 0002: B\n\nStatus: superseded by [0001](0001-a) (2026-11-22).\n';
    expect(check({ '0001-a': accepted, '0002-b': superseded })).toEqual({ status: 0, faults: [] });
  });

  it('names those without, and numbers that are taken or wrong', () => {
    const status = '\n\nStatus: accepted (2026-11-22).\n';
    const { status: code, faults } = check({
      '0001-a': '# 0001: A\n',
      '0002-b': `# 0003: B${status}`,
      '0002-c': `# 0002: C${status}`,
      d: `# D${status}`,
    });
    expect(code).toBe(1);
    expect(faults).toEqual([
      '0001-a: it lacks a line such as "Status: accepted (2026-11-22)."',
      '0002-b: its title begins with "# 0002: "',
      '0002-c: there is another decision 0002',
      'd: its name is not a number of four digits and words in kebab-case',
    ]);
  });
});
