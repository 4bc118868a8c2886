/**
 * Installs a release where there is no network, as docs/releases.md#install-without-a-network says, and records a call. It runs in a network
 * namespace of its own, whose only interface is loopback: `unshare -rn node air-gapped.ts RELEASE WORK`. Prints what it saw as JSON.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';

const [release, work] = process.argv.slice(2) as [string, string];
const API = 'http://127.0.0.1:3000';
const GATEWAY = 'http://127.0.0.1:3001';
const PATIENCE_MS = 120_000;

const files = readdirSync(release);
const tarball = (start: string): string =>
  join(
    release,
    files.find((name) => name.startsWith(start))!,
  );
const folderOf = (start: string): string =>
  join(
    work,
    readdirSync(work).find((name) => name.startsWith(start) && !name.includes('.tar'))!,
  );

execFileSync('ip', ['link', 'set', 'lo', 'up']);
const outside = await reachOutside();

execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: release });
for (const start of ['node-', 'spandrel-server-', 'spandrel-gateway-']) {
  execFileSync('tar', ['--extract', '--file', tarball(start), '--directory', work]);
}
const node = join(folderOf('node-'), 'bin/node');

const provider = await startFakeProvider();
const server = start('spandrel-server-', ['server', '--data-dir', join(work, 'data')], {});
const gateway = start('spandrel-gateway-', ['gateway'], {
  SPANDREL_API_URL: API,
  SPANDREL_SPOOL_DIR: join(work, 'spool'),
  SPANDREL_OPENAI_BASE_URL: provider.url,
});
try {
  await until(async () => (await isReady(API)) && (await isReady(GATEWAY)));
  const call = await fetch(`${GATEWAY}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-example' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await call.json();
  await until(async () => (await recorded()).length === 1);
  const pages = await Promise.all(['/', '/docs', '/docs/swagger-ui-bundle.js', '/api/health'].map(statusOf));
  const packages = installPackages();
  await until(async () => (await recorded()).length === 2);
  process.stdout.write(`${JSON.stringify({ outside, call: call.status, pages, packages, spans: await recorded() })}\n`);
} finally {
  await Promise.all([stop(gateway), stop(server)]);
  await provider.close();
}

/** An address of nobody (TEST-NET-1): without a route there is no attempt to reach it. */
async function reachOutside(): Promise<string> {
  const socket = connect(80, '192.0.2.1');
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  return error.code!;
}

function start(program: string, args: string[], env: Record<string, string>): ChildProcess {
  return spawn(node, [join(folderOf(program), 'bin/spandrel.cjs'), ...args], {
    cwd: work,
    env: { HOME: work, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function statusOf(path: string): Promise<number> {
  return (await fetch(`${API}${path}`)).status;
}

async function recorded(): Promise<string[]> {
  const answer = await fetch(`${API}/api/spans?status=completed`);
  const { spans } = (await answer.json()) as { spans: { name: string }[] };
  return spans.map(({ name }) => name).toSorted();
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await holds());) {
    if (Date.now() > end) throw new Error('the condition did not come true in time');
    await sleep(50);
  }
}

/** SDK and plugin API in an application of its own. @returns what the program that uses both says. */
function installPackages(): string {
  const project = join(work, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
  execFileSync('npm', ['install', '--offline', '--silent', tarball('spandrel-sdk-'), tarball('spandrel-plugin-api-')], {
    cwd: project,
    env: { ...process.env, HOME: work, npm_config_cache: join(work, 'npm') },
  });
  const program = `
    import { Spandrel } from '@spandrel/sdk';
    import * as plugins from '@spandrel/plugin-api';
    const spandrel = new Spandrel();
    await spandrel.trace('by the SDK', {}, () => spandrel.span('step', {}, async () => 1));
    const { delivered, pending, rejected } = await spandrel.flush();
    console.log([delivered > 0, pending, rejected, Object.keys(plugins).length > 0].join());`;
  writeFileSync(join(project, 'main.js'), program);
  return execFileSync(node, ['main.js'], { cwd: project, env: { SPANDREL_API_URL: API }, encoding: 'utf8' }).trim();
}
