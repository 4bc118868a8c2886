/** Starting and stopping, as a user meets it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TraceListItem } from '@spandrel/contract';
import type { Place, Program } from './support/places.ts';
import { freePorts } from './support/ports.ts';
import { COMPILE_CACHE, runSpandrel, startSpandrel, tempDir, until, type Spandrel } from './support/spandrel.ts';
import { cloudEnvironment } from './support/tenant.ts';
import { describeOnBothDatabases, describeOnDatabase, showsAll, SQLITE } from './support/databases.ts';

// What is started costs more than what is seen: tests of one `describe` go on with the program of the one before.

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

describeOnBothDatabases('spandrel serve', ({ name, takePlace }) => {
  let place: Place;
  let program: Program;
  beforeAll(async () => {
    place = await takePlace();
  });
  afterAll(() => place?.close());

  const write = async (name: string): Promise<void> => {
    expect((await program.api.post('/api/traces', { name })).status).toBe(201);
  };
  const keptTraces = async (): Promise<(string | null)[]> =>
    (await place.rows<TraceListItem>('select name from trace')).map(({ name }) => name).toSorted();

  it('listens and says where, and how to point a client at it', async () => {
    program = await place.start();
    for (const expected of [
      `${program.apiUrl}/api`,
      program.gatewayUrl,
      `${place.mode} mode`,
      place.mode === 'local' ? place.dataDir : 'X-Spandrel-Key',
      `OPENAI_BASE_URL=${program.gatewayUrl}/v1`,
    ]) {
      expect(program.output()).toContain(expected);
    }
    for (const url of [program.apiUrl, program.gatewayUrl]) {
      expect((await fetch(`${url}/livez`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
    expect((await program.api.get('/api/health')).body).toMatchObject({ status: 'ok', mode: place.mode });
  });

  // What Postgres has taken it keeps over kills and stops: kill-server.full.e2e-spec.ts, reliability/shutdown.full.e2e-spec.ts.
  if (showsAll(name)) {
    it('starts again on the same ports and data after kill -9, by npm start, and a signal to npm ends all in order', async () => {
      await write('before kill -9');
      await program.stop('SIGKILL');
      const ports = [program.apiUrl, program.gatewayUrl].map((url) => new URL(url).port);
      const flags = ['--port', ports[0]!, '--gateway-port', ports[1]!, '--data-dir', place.dataDir];
      const env = { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...place.env };
      const npm = spawn('npm', ['start', '--', ...flags], { stdio: 'ignore', env });
      const ended = new Promise((done) => npm.on('close', done));
      await until(async () => (await answers(program.apiUrl)) && (await answers(program.gatewayUrl)), 20_000);
      expect((await program.api.traces()).map(({ name }) => name)).toEqual(['before kill -9']);
      await write('before SIGTERM');
      npm.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect([await answers(program.apiUrl), await answers(program.gatewayUrl)]).toEqual([false, false]);
      expect(await keptTraces()).toEqual(['before SIGTERM', 'before kill -9']);
    });

    it('runs without the gateway when asked to, ends with 0 on SIGINT and keeps its data', async () => {
      program = await place.start({ args: ['--no-gateway'] });
      expect(program.output()).not.toContain('Gateway');
      await expect(fetch(program.gatewayUrl)).rejects.toThrow();
      await write('before SIGINT');
      expect(await program.stop('SIGINT')).toBe(0);
      expect(await keptTraces()).toEqual(['before SIGINT', 'before SIGTERM', 'before kill -9']);
    });
  }
});

// cloud/two-tenants.full.e2e-spec.ts has them on Postgres.
describeOnDatabase(SQLITE, 'the separate deployables', ({ takePlace }) => {
  let place: Place | undefined;
  afterAll(() => place?.close());

  it('run on their own and find each other, whichever is there first', async () => {
    place = await takePlace();
    const gateway = await place.start({ command: 'gateway' });
    const readiness = async (): Promise<{ status: number; api: unknown }> => {
      const answer = await fetch(`${gateway.gatewayUrl}/readyz`);
      return { status: answer.status, api: ((await answer.json()) as { api?: unknown }).api };
    };
    expect((await readiness()).status).toBe(200);
    await until(async () => (await readiness()).api === 'down');
    expect((await readiness()).status).toBe(200);
    const server = await place.start({ command: 'server' });
    await until(async () => (await readiness()).api === 'up');
    expect(await gateway.stop()).toBe(0);
    expect(await server.stop()).toBe(0);
  });
});

// Local mode alone has its data there.
describe('a data directory', () => {
  let first: Spandrel;
  const dataDir = join(tempDir(), 'deep', 'data');
  afterAll(() => first?.stop('SIGKILL'));

  it('is made where there is none', async () => {
    first = await startSpandrel({ command: 'server', dataDir });
    expect(existsSync(join(dataDir, 'spandrel.db'))).toBe(true);
  });

  it('in use is refused', async () => {
    const { code, output } = await runSpandrel(['serve', '--port', '0', '--data-dir', dataDir]);
    expect(code).toBe(1);
    expect(output).toContain(dataDir);
    expect(output).toMatch(/in use/);
    expect(await answers(first.apiUrl)).toBe(true);
  });

  it('that cannot be written is refused, and a file that is no database', async () => {
    const file = join(tempDir(), 'a-file');
    writeFileSync(file, 'x');
    const unusable = await runSpandrel(['server', '--port', '0', '--data-dir', join(file, 'data')]);
    expect([unusable.code, unusable.output]).toEqual([1, expect.stringContaining(file)]);
    const foreignDir = tempDir();
    writeFileSync(
      join(foreignDir, 'spandrel.db'),
      'this is no database, but it is long enough to be looked at as one'.repeat(100),
    );
    const foreign = await runSpandrel(['server', '--port', '0', '--data-dir', foreignDir]);
    expect([foreign.code, foreign.output]).toEqual([1, expect.stringContaining(foreignDir)]);
    expect(foreign.output).not.toMatch(/\n\s+at /);
  });
});

describe('settings that are wrong', () => {
  // Whatever the database.
  it('name the port that is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    for (const args of [
      ['--port', port],
      ['--port', '0', '--gateway-port', port],
    ]) {
      const { code, output } = await runSpandrel(['serve', ...args, '--data-dir', tempDir()]);
      expect([code, output]).toEqual([1, expect.stringContaining(`:${port}: another program listens there`)]);
      expect(output).not.toMatch(/\n\s+at /);
    }
    taken.close();
  });

  it('are all named, one a line', async () => {
    const { code, output } = await runSpandrel(['serve', '--port', 'abc', '--nonsense'], { SPANDREL_MODE: 'moon' });
    expect(code).toBe(1);
    const lines = output.trim().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/^spandrel: \S+/);
  });

  it('name the plugin that is wrong, with the reason', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'config.yaml'), 'plugins: [openai, ./broken.mjs]\n');
    writeFileSync(
      join(folder, 'broken.mjs'),
      'export default { extensionPoint: "provider", name: "broken", apiVersion: 7 };\n',
    );
    for (const command of ['server', 'gateway']) {
      const config = ['--config', join(folder, 'config.yaml')];
      const { code, output } = await runSpandrel([command, '--port', '0', '--data-dir', tempDir(), ...config]);
      expect([code, output]).toEqual([1, expect.stringMatching(/broken\.mjs.*apiVersion 7.*apiVersion 1/)]);
    }
  });
});

// What only cloud mode asks for.
describe('cloud mode', () => {
  const refusal = async (command: string, env: Record<string, string>, args: string[] = []): Promise<string[]> => {
    const { code, output } = await runSpandrel([command, '--port', '0', '--data-dir', tempDir(), ...args], env);
    expect(code).toBe(1);
    expect(output).not.toMatch(/\n\s+at |canary/);
    // What the log says is JSON: that a start was tried.
    return output
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
  };

  it('does not start without a database and a secret key, and makes neither', async () => {
    const dataDir = tempDir();
    expect(await refusal('server', { SPANDREL_MODE: 'cloud' }, ['--data-dir', dataDir])).toEqual([
      expect.stringMatching(/^spandrel: .*DATABASE_URL.*cloud mode needs/),
      expect.stringMatching(/^spandrel: .*SPANDREL_SECRET_KEY.*cloud mode needs/),
    ]);
    for (const file of ['spandrel.db', 'secret.key']) expect(existsSync(join(dataDir, file))).toBe(false);
  });

  it('names each setting that is no database, no key and no secret, and repeats none of them', async () => {
    const env = {
      SPANDREL_MODE: 'cloud',
      DATABASE_URL: 'mysql://canary@127.0.0.1/x',
      SPANDREL_SECRET_KEY: 'canary, too short',
      SPANDREL_ADMIN_TOKEN: 'canary',
      SPANDREL_API_KEY: 'canary',
    };
    expect(await refusal('serve', env)).toEqual(
      ['DATABASE_URL', 'SPANDREL_ADMIN_TOKEN', 'SPANDREL_SECRET_KEY', 'SPANDREL_API_KEY'].map((name) =>
        expect.stringMatching(`^spandrel: .*${name}\\): must `),
      ),
    );
  });

  it('does not start on a database it cannot reach, and does not reveal the password', async () => {
    const [port] = await freePorts(1);
    const url = `postgres://spandrel:canary@127.0.0.1:${port}/none`;
    expect(await refusal('serve', cloudEnvironment(url))).toEqual([
      expect.stringMatching(/^spandrel: server: DATABASE_URL: the database cannot be reached: connect ECONNREFUSED/),
    ]);
  });

  it('does not keep calls of its gateway on disk without a key that seals them', async () => {
    const env = { SPANDREL_MODE: 'cloud', SPANDREL_HOST: '127.0.0.1', SPANDREL_SPOOL_DIR: tempDir() };
    expect(await refusal('gateway', env, ['--gateway-port', '0'])).toEqual([
      expect.stringMatching(/^spandrel: .*SPANDREL_API_KEY/),
    ]);
  });
});
