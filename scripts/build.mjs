/**
 * Builds dist/: the apps, the built-in plugins and the threads, with what they share in dist/chunks/, and the dashboard
 * in dist/dashboard/, with the page of files with traces in dist/trace-file/. The packages are bundled too: finding and compiling some thousand small files took two thirds of a
 * start. Types are checked by the test command.
 *
 * Usage: build.mjs [--gateway] [--only server|dashboard] [--out <folder>]. With --gateway, what the image of the gateway
 * holds: commands that open the database are left out, and the dashboard. With --only the other half stays as it is.
 */
import '../bin/require-node.mjs';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildDashboard } from './build-dashboard.mjs';
import { buildServer } from './build-server.mjs';
import { buildTraceFile } from './build-trace-file.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { gateway, only, out } = parseArgs({
  options: {
    gateway: { type: 'boolean', default: false },
    only: { type: 'string' },
    out: { type: 'string', default: join(root, 'dist') },
  },
}).values;

// A running program loads chunks when it first needs them: a new dist/ takes the place of the old one at once.
const made = `${resolve(out)}.${process.pid}`;
const old = `${made}.old`;
const PAGES = ['dashboard', 'trace-file'];
// What it was building is no use to anybody once it is asked to end.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.once(signal, () => {
    rmSync(made, { recursive: true, force: true });
    process.kill(process.pid, signal);
  });
}
try {
  const withServer = only !== 'dashboard';
  const withDashboard = only !== 'server' && !gateway;
  await Promise.all([withServer && buildServer(root, made, gateway), withDashboard && buildPages()]);
  if (withServer) {
    if (!withDashboard && !gateway) for (const name of PAGES) moveIfThere(join(out, name), join(made, name));
    moveIfThere(out, old);
    renameSync(made, out);
  } else {
    mkdirSync(out, { recursive: true });
    mkdirSync(old);
    for (const name of PAGES) {
      moveIfThere(join(out, name), join(old, name));
      renameSync(join(made, name), join(out, name));
    }
  }
} finally {
  for (const rest of [made, old]) rmSync(rest, { recursive: true, force: true });
}

async function buildPages() {
  const [dashboard, traceFile] = PAGES.map((name) => join(made, name));
  await buildDashboard(root, dashboard);
  await buildTraceFile(root, traceFile, join(dashboard, 'assets'));
}

function moveIfThere(folder, to) {
  if (existsSync(folder)) renameSync(folder, to);
}
