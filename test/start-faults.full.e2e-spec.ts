/** A newcomer's mistakes at the start, as they are typed; what a start says of itself, and when it counts as done. */
import { execFileSync, spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { freePorts } from './support/ports.ts';
import { runSpandrel, spawnSpandrel, startSpandrel, tempDir, until, type Spandrel } from './support/spandrel.ts';

/** The status of a probe, 0 while nobody listens. */
const probe = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('a path that cannot be used', () => {
  // Node's own way to make this directory never came back: no line, no signal was obeyed.
  it('--data-dir /proc/x ends with one line', async () => {
    expect(await runSpandrel(['serve', '--port', '0', '--data-dir', '/proc/x'])).toEqual({
      code: 1,
      output:
        'spandrel: server: data_dir (--data-dir, SPANDREL_DATA_DIR): /proc/x is in a place where nobody can make directories\n',
    });
  });

  it('SPANDREL_SPOOL_DIR=/proc/x ends with one line', async () => {
    expect(await runSpandrel(['gateway', '--gateway-port', '0'], { SPANDREL_SPOOL_DIR: '/proc/x' })).toEqual({
      code: 1,
      output:
        'spandrel: gateway.spool_dir (SPANDREL_SPOOL_DIR): /proc/x is in a place where nobody can make directories\n',
    });
  });

  it('a pipe that nobody writes to ends with one line', async () => {
    const pipe = join(tempDir(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await runSpandrel(['serve', '--config', pipe])).toEqual({
      code: 1,
      output: `spandrel: config (--config, SPANDREL_CONFIG): ${pipe} is a pipe that nothing comes from\n`,
    });
  });

  it('a place for uploads that is something else ends with one line', async () => {
    const dataDir = tempDir();
    symlinkSync('/dev/null', join(dataDir, 'uploads'));
    expect(await runSpandrel(['server', '--port', '0', '--data-dir', dataDir])).toEqual({
      code: 1,
      output: `spandrel: data_dir (--data-dir, SPANDREL_DATA_DIR): ${dataDir}/uploads is a file, not a directory\n`,
    });
  });
});

describe('npm start --port 4000', () => {
  it('is shown where flags stand', async () => {
    const npm = spawn('npm', ['start', '--port', '4000'], { cwd: resolve('.'), stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    npm.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
    const code = await new Promise((done) => npm.on('close', done));
    expect(code).toBe(1);
    expect(errors).toContain(
      'spandrel: npm took --port for its own; write flags behind "--": npm start -- --port 4000\n',
    );
  });
});

describe('spandrel serve', () => {
  let program: Spandrel | undefined;
  afterAll(() => program?.stop('SIGKILL'));

  it('has an API that is ready no sooner than the gateway takes calls', async () => {
    const [port, gatewayPort] = (await freePorts(2)) as [number, number];
    const [api, gateway] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${gatewayPort}`];
    const begun = startSpandrel({
      port,
      gatewayPort,
      // Both are still there for a minute when they are asked to stop.
      env: { SPANDREL_PROT: '1', SPANDREL_SHUTDOWN_DELAY: '60', SPANDREL_TEST_SEED: '1' },
    });
    const seen = new Set<number>();
    await until(async () => {
      const status = await probe(`${api}/readyz`);
      seen.add(status);
      if (status !== 200) return false;
      expect(await probe(`${gateway}/readyz`)).toBe(200);
      return true;
    }, 20_000);
    // The API listened before, and said that it is not to be used yet.
    expect(seen).toContain(503);
    program = await begun;
    expect(program.output().split('SPANDREL_')).toHaveLength(3);
    expect(program.output()).toContain(
      'spandrel: warning: SPANDREL_PROT: there is no such variable, it has no effect; did you mean SPANDREL_PORT?\n',
    );
  });

  it('says nothing of requests unless it is asked to', async () => {
    const before = program!.output();
    await fetch(`${program!.apiUrl}/api/traces`);
    await fetch(`${program!.gatewayUrl}/no/such`);
    expect(program!.output()).toBe(before);
  });

  it('is not ready any more as soon as it is asked to stop, while both still serve', async () => {
    const { apiUrl, gatewayUrl, pid } = program!;
    process.kill(pid, 'SIGTERM');
    await until(async () => (await probe(`${apiUrl}/readyz`)) === 503);
    await until(async () => (await probe(`${gatewayUrl}/readyz`)) === 503);
    expect([await probe(`${apiUrl}/livez`), await probe(`${gatewayUrl}/livez`)]).toEqual([200, 200]);
  });
});

describe('a signal during the start', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s ends it at once, as soon as it runs', async (signal) => {
    const child = spawnSpandrel(['serve', '--port', '0', '--data-dir', tempDir()], {}, 'ignore');
    const ended = new Promise((done) => child.once('exit', (_code, by) => done(by)));
    child.kill(signal);
    expect(await ended).toBe(signal);
  });

  it('ends it while the API serves already and the gateway does not', async () => {
    const [port] = (await freePorts(1)) as [number];
    const child = spawnSpandrel(['serve', '--port', String(port), '--data-dir', tempDir()], {}, 'ignore');
    const ended = new Promise((done) => child.once('exit', (code, by) => done([code, by])));
    await until(async () => (await probe(`http://127.0.0.1:${port}/livez`)) === 200, 20_000);
    child.kill('SIGTERM');
    // By the signal, or in order where the gateway was quicker.
    expect([
      [null, 'SIGTERM'],
      [0, null],
    ]).toContainEqual(await ended);
  });
});

describe('the log', () => {
  it('is for people where that is asked for, with a line a request', async () => {
    const program = await startSpandrel({ command: 'server', args: ['--access-log', '--log-format', 'pretty'] });
    await fetch(`${program.apiUrl}/no/such`);
    expect(await program.stop()).toBe(0);
    expect(program.output()).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}server {2}request request_id=\w+ method=GET route=unmatched .*status=404 /m,
    );
    expect(program.output()).not.toContain('{"level"');
  });
});
