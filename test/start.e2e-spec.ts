/** Starting and stopping, as a user meets it. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Api } from './support/api.ts';
import { freePort } from './support/ports.ts';
import { runSpandrel, startSpandrel, tempDir, until, type Spandrel, type StartOptions } from './support/spandrel.ts';

const running: Spandrel[] = [];
afterEach(async () => {
  for (const spandrel of running.splice(0)) await spandrel.stop('SIGKILL');
});
const start = async (options: StartOptions = {}): Promise<Spandrel> => {
  const spandrel = await startSpandrel(options);
  running.push(spandrel);
  return spandrel;
};

describe('spandrel serve', () => {
  it('listens in seconds and says where, and how to point a client at it', async () => {
    const started = Date.now();
    const spandrel = await start();
    // Some 1.5 s where nothing else is done.
    expect(Date.now() - started).toBeLessThan(10_000);
    for (const expected of [
      `${spandrel.apiUrl}/api`,
      spandrel.gatewayUrl,
      'local mode',
      spandrel.dataDir,
      `OPENAI_BASE_URL=${spandrel.gatewayUrl}/v1`,
    ]) {
      expect(spandrel.output()).toContain(expected);
    }
    for (const url of [spandrel.apiUrl, spandrel.gatewayUrl]) {
      expect((await fetch(`${url}/livez`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
    expect((await new Api(spandrel.apiUrl).get('/api/health')).body).toMatchObject({ status: 'ok', mode: 'local' });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s and keeps its data', async (signal) => {
    const first = await start();
    const { body } = await new Api(first.apiUrl).post<{ id: string }>('/api/traces', { name: 'kept' });
    expect(await first.stop(signal)).toBe(0);
    const second = await start({ dataDir: first.dataDir });
    expect(await new Api(second.apiUrl).traces()).toMatchObject([{ id: body.id, name: 'kept' }]);
  });

  it('starts again on the same ports and data after kill -9', async () => {
    const ports = { port: await freePort(), gatewayPort: await freePort(), dataDir: tempDir() };
    const first = await start(ports);
    await new Api(first.apiUrl).post('/api/traces', { name: 'kept' });
    await first.stop('SIGKILL');
    const second = await start(ports);
    expect(await new Api(second.apiUrl).traces()).toHaveLength(1);
    expect((await fetch(`${second.gatewayUrl}/readyz`)).status).toBe(200);
  });

  it('refuses a data directory in use', async () => {
    const first = await start();
    const { code, output } = await runSpandrel(['serve', '--port', '0', '--data-dir', first.dataDir]);
    expect(code).toBe(1);
    expect(output).toContain(first.dataDir);
    expect(output).toMatch(/in use/);
    expect(await new Api(first.apiUrl).traces()).toEqual([]);
  });

  it('refuses a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => taken.once('listening', done));
    const { port } = taken.address() as { port: number };
    for (const args of [
      ['--port', String(port)],
      ['--port', '0', '--gateway-port', String(port)],
    ]) {
      const { code, output } = await runSpandrel(['serve', ...args, '--data-dir', tempDir()]);
      expect([code, output]).toEqual([1, expect.stringContaining(String(port))]);
      expect(output).not.toMatch(/\n\s+at /);
    }
    taken.close();
  });

  it('refuses a data directory it cannot write, and a file that is no database', async () => {
    const file = join(tempDir(), 'a-file');
    writeFileSync(file, 'x');
    const unusable = await runSpandrel(['serve', '--port', '0', '--data-dir', join(file, 'data')]);
    expect([unusable.code, unusable.output]).toEqual([1, expect.stringContaining(file)]);
    const dataDir = tempDir();
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(
      join(dataDir, 'spandrel.db'),
      'this is no database, but it is long enough to be looked at as one'.repeat(100),
    );
    const foreign = await runSpandrel(['serve', '--port', '0', '--data-dir', dataDir]);
    expect([foreign.code, foreign.output]).toEqual([1, expect.stringContaining(dataDir)]);
    expect(foreign.output).not.toMatch(/\n\s+at /);
  });

  it('names every bad setting, one a line', async () => {
    const { code, output } = await runSpandrel(['serve', '--port', 'abc', '--nonsense'], { SPANDREL_MODE: 'moon' });
    expect(code).toBe(1);
    const lines = output.trim().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/^spandrel: \S+/);
  });

  it('makes its data directory', async () => {
    const dataDir = join(tempDir(), 'deep', 'data');
    await start({ dataDir });
    expect(existsSync(join(dataDir, 'spandrel.db'))).toBe(true);
  });

  it('runs without the gateway when told to', async () => {
    const spandrel = await start({ args: ['--no-gateway'] });
    expect(spandrel.output()).not.toContain('Gateway');
    await expect(fetch(spandrel.gatewayUrl)).rejects.toThrow();
  });
});

describe('npm start', () => {
  it('hands flags on, and a signal to npm ends everything in order', async () => {
    const [port, gatewayPort] = [await freePort(), await freePort()];
    const flags = ['--port', String(port), '--gateway-port', String(gatewayPort), '--data-dir', tempDir()];
    const npm = spawn('npm', ['start', '--', ...flags], { stdio: 'ignore' });
    const ended = new Promise((done) => npm.on('close', done));
    const answers = (on: number) =>
      fetch(`http://127.0.0.1:${on}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(async () => (await answers(port)) && (await answers(gatewayPort)), 20_000);
    npm.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect([await answers(port), await answers(gatewayPort)]).toEqual([false, false]);
  });
});

describe('the separate deployables', () => {
  it('run on their own and find each other', async () => {
    const server = await start({ command: 'server' });
    const gateway = await start({ command: 'gateway', env: { SPANDREL_API_URL: server.apiUrl } });
    await until(async () => {
      const readiness = (await (await fetch(`${gateway.gatewayUrl}/readyz`)).json()) as { api?: string };
      return readiness.api === 'up';
    });
    expect(await gateway.stop()).toBe(0);
    expect(await server.stop()).toBe(0);
  });

  it('the gateway starts and is ready without the API', async () => {
    const gateway = await start({ command: 'gateway', env: { SPANDREL_API_URL: 'http://127.0.0.1:9' } });
    expect((await fetch(`${gateway.gatewayUrl}/readyz`)).status).toBe(200);
  });

  it('refuse a plugin that is wrong, with its name and reason', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'config.yaml'), 'plugins: [openai, ./broken.mjs]\n');
    writeFileSync(
      join(folder, 'broken.mjs'),
      'export default { extensionPoint: "provider", name: "broken", apiVersion: 7 };\n',
    );
    for (const command of ['server', 'gateway']) {
      const { code, output } = await runSpandrel([
        command,
        '--port',
        '0',
        '--data-dir',
        tempDir(),
        '--config',
        join(folder, 'config.yaml'),
      ]);
      expect([code, output]).toEqual([1, expect.stringMatching(/broken\.mjs.*apiVersion 7.*apiVersion 1/)]);
    }
    rmSync(folder, { recursive: true });
  });
});
