/** Builds dist/ when it is missing or older than a source; a built project starts without building. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist/apps/cli/src/main.js');

if (!existsSync(built) || newestSource() > statSync(built).mtimeMs) {
  const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build', 'server'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}

function newestSource() {
  let newest = 0;
  for (const folder of ['apps', 'libs', 'plugins']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
    }
  }
  for (const file of ['.swcrc', 'nest-cli.json', 'tsconfig.json'])
    newest = Math.max(newest, statSync(join(root, file)).mtimeMs);
  return newest;
}
