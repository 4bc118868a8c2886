import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { tempDir } from './spandrel.ts';

/**
 * A PATH on which `npx spandrel` does in this repository what npm's does there, without reading every package that is installed,
 * which takes it two seconds. That npm's finds the command, test/command.full.e2e-spec.ts shows.
 */
export function pathWithNpx(path: string): string {
  const folder = tempDir();
  const npx = join(folder, 'npx');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec node "${resolve('bin/spandrel.cjs')}" "$@"\n`);
  chmodSync(npx, 0o755);
  return [folder, path].join(delimiter);
}
