import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** What Node finds in the packages themselves. */
const LIST_EXPORTS = `
  import { BUNDLED } from './test/runner/bundle-packages.mjs';
  const exported = {};
  for (const name of BUNDLED) exported[name] = Object.keys(await import(name));
  console.log(JSON.stringify(exported));`;

describe('bundles of packages', () => {
  it('export what the packages export', async () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', LIST_EXPORTS], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const exported = Object.entries(JSON.parse(stdout) as Record<string, string[]>);
    expect(exported.length).toBeGreaterThan(10);
    for (const [name, names] of exported) {
      expect([name, Object.keys((await import(name)) as object)]).toEqual([name, expect.arrayContaining(names)]);
    }
  });
});
