/**
 * Lints the OpenAPI document of the built server (dist/) by Redocly's rules (redocly.yaml). Starts the server on a free
 * port and an empty data directory, and ends with 1 when there is an error or a warning.
 */
import '../bin/require-node.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatProblems, getTotals, lintFromString, loadConfig } from '@redocly/openapi-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const START_MS_MAX = 20_000;

const source = await servedDocument();
const problems = await lintFromString({
  source,
  absoluteRef: join(root, 'openapi.json'),
  config: await loadConfig({ configPath: join(root, 'redocly.yaml') }),
});
const totals = getTotals(problems);
if (problems.length > 0) formatProblems(problems, { totals, format: 'codeframe', cwd: root });
const operations = Object.values(JSON.parse(source).paths).flatMap((path) => Object.keys(path)).length;
console.log(`${operations} operations, ${totals.errors} errors, ${totals.warnings} warnings`);
process.exitCode = totals.errors + totals.warnings > 0 ? 1 : 0;

async function servedDocument() {
  const dataDir = mkdtempSync(join(tmpdir(), 'spandrel-openapi-'));
  const port = await freePort();
  const server = spawn(
    process.execPath,
    [join(root, 'dist/apps/cli/src/main.js'), 'server', '--port', String(port), '--data-dir', dataDir],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, SPANDREL_ACCESS_LOG: 'false' } },
  );
  const ended = once(server, 'exit');
  try {
    return await fetchWhenUp(`http://127.0.0.1:${port}/api/openapi.json`, server);
  } finally {
    server.kill();
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function fetchWhenUp(url, server) {
  for (const deadline = Date.now() + START_MS_MAX; ;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return response.text();
    if (response || server.exitCode !== null || Date.now() > deadline) {
      throw new Error(`no document at ${url}${response ? `: ${response.status} ${await response.text()}` : ''}`);
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
