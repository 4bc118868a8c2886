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
const isDashboard = (path) => path.startsWith(join(root, 'apps/dashboard'));
/** What is built, by the name that the build knows it by; packages are part of either. */
const HALVES = {
  server: {
    made: entry,
    sources: ['apps', 'libs', 'plugins'],
    isSource: (path) => path.endsWith('.ts') && !isDashboard(path),
    others: [
      ...[
        'package-lock.json',
        'tsconfig.json',
        'bin/node-version.cjs',
        'scripts/build.mjs',
        'scripts/build-server.mjs',
      ],
      ...['scripts/build-plan.mjs', 'scripts/swc-options.mjs'],
    ],
  },
  dashboard: {
    made: join(root, 'dist/dashboard/index.html'),
    sources: ['apps/dashboard', 'libs/contract'],
    isSource: (path) => !path.endsWith('.spec.ts'),
    others: ['package-lock.json', 'scripts/build.mjs', 'scripts/build-dashboard.mjs'],
  },
};

stopWithNpx();
const due = Object.keys(HALVES).filter((half) => isBuildDue(HALVES[half]));
if (due.length > 0) await build(due);
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
function isBuildDue({ made, sources, isSource, others }) {
  const isOfProgram = made === entry;
  if (isOfProgram && !existsSync(made)) return true;
  if (!sources.every((folder) => existsSync(join(root, folder))) || !hasCompiler()) return false;
  return !existsSync(made) || newestOf(sources, isSource, others) > statSync(made).mtimeMs;
}

/** Ends with the build where that fails. A signal ends both: this process waits for the build and has nothing else to do. */
async function build(halves) {
  if (!hasCompiler()) {
    process.stderr.write('spandrel: is not built, and its packages are not installed; run npm ci first\n');
    process.exit(1);
  }
  // Signals are taken before there is a build, which would go on alone after one that came in between.
  const passOn = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  const only = halves.length === 1 ? ['--only', halves[0]] : [];
  const child = spawn(process.execPath, [join(root, 'scripts/build.mjs'), ...only], {
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

function newestOf(sources, isSource, others) {
  let newest = 0;
  for (const folder of sources) {
    for (const found of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(found.parentPath, found.name);
      if (found.isFile() && isSource(path)) newest = Math.max(newest, statSync(path).mtimeMs);
    }
  }
  for (const file of others) newest = Math.max(newest, statSync(join(root, file)).mtimeMs);
  return newest;
}
