/**
 * Runs an app of this project, building it first when dist/ is missing or older than a source.
 * Usage: run.mjs cli|server|gateway [arguments]
 *
 * The app runs in this very process, and the npm scripts begin with `exec`: npm passes a signal to its own child alone,
 * and would leave the app behind if that were a shell.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What a build depends on beside the sources: packages are part of it. */
const OTHER_INPUTS = [
  'package-lock.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/build-plan.mjs',
  'scripts/swc-options.mjs',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const [app, ...args] = process.argv.slice(2);
const entry = join(root, 'dist/apps', app, 'src/main.js');

if (!existsSync(entry) || newestSource() > statSync(entry).mtimeMs) build();
process.argv = [process.execPath, entry, ...args];
await import(pathToFileURL(entry).href);

function build() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}

function newestSource() {
  let newest = 0;
  for (const folder of ['apps', 'libs', 'plugins']) {
    for (const found of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!found.isFile() || !found.name.endsWith('.ts')) continue;
      newest = Math.max(newest, statSync(join(found.parentPath, found.name)).mtimeMs);
    }
  }
  for (const file of OTHER_INPUTS) newest = Math.max(newest, statSync(join(root, file)).mtimeMs);
  return newest;
}
