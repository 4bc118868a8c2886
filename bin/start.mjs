/**
 * Runs the program in this very process, building it first when dist/ is missing or older than a source. The npm scripts
 * begin with `exec`: npm passes a signal to its own child alone, and would leave the program behind if that were a shell.
 */
import './require-node.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = join(root, 'dist/apps/cli/src/main.js');

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const SOURCES = ['apps', 'libs', 'plugins'];
/** A build depends on these too; packages are part of it. */
const OTHER_INPUTS = [
  'package-lock.json',
  'tsconfig.json',
  'bin/node-version.cjs',
  'scripts/build.mjs',
  'scripts/build-plan.mjs',
  'scripts/swc-options.mjs',
];

stopWithNpx();
if (isBuildDue()) await build();
process.argv[1] = entry;
await import(pathToFileURL(entry).href);

/** npx runs the command in a shell, and a signal to npx ends that shell alone: without it the program stops too. */
function stopWithNpx() {
  if (process.env.npm_command !== 'exec') return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 100).unref();
}

/** An image has no sources, and an installation without development packages no compiler: both run what is there. */
function isBuildDue() {
  if (!existsSync(entry)) return true;
  if (!SOURCES.every((folder) => existsSync(join(root, folder))) || !hasCompiler()) return false;
  return newestSource() > statSync(entry).mtimeMs;
}

/** Ends with the build where that fails. A signal ends both: this process waits for the build and has nothing else to do. */
async function build() {
  if (!hasCompiler()) {
    process.stderr.write('spandrel: is not built, and its packages are not installed; run npm ci first\n');
    process.exit(1);
  }
  // Signals are taken before there is a build, which would go on alone after one that came in between.
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  const child = spawn(process.execPath, [join(root, 'scripts/build.mjs')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [status, signal] = await once(child, 'exit');
  for (const each of SIGNALS) process.off(each, passOn);
  if (status !== 0) process.exit(status ?? 128 + constants.signals[signal]);
}

function hasCompiler() {
  return existsSync(join(root, 'node_modules/rolldown'));
}

function newestSource() {
  let newest = 0;
  for (const folder of SOURCES) {
    for (const found of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!found.isFile() || !found.name.endsWith('.ts')) continue;
      newest = Math.max(newest, statSync(join(found.parentPath, found.name)).mtimeMs);
    }
  }
  for (const file of OTHER_INPUTS) newest = Math.max(newest, statSync(join(root, file)).mtimeMs);
  return newest;
}
