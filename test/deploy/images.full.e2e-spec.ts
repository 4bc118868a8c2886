import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyOf } from '../../libs/contract/src/api-key.ts';
import { freePorts } from '../support/ports.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import { layOutImage, type ImageTree } from './image-tree.ts';

/**
 * The images without a container engine: their files in a folder, started by the image's own command, by its user where
 * this process may change users, who can write nothing of it.
 */
const USER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

let postgres: TestPostgres;
let databaseUrl: string;
let server: ImageTree;
let gateway: ImageTree;
let apiPort: number;
let gatewayPort: number;
const dataDir = mkdtempSync(join(tmpdir(), 'spandrel-image-data-'));
const children = new Set<ChildProcess>();

beforeAll(async () => {
  if (USER.uid !== undefined) chownSync(dataDir, USER.uid, USER.gid);
  chmodSync(dataDir, 0o700);
  server = layOutImage('server');
  gateway = layOutImage('gateway');
  postgres = await startPostgres();
  databaseUrl = await postgres.createDatabase('images');
  [apiPort, gatewayPort] = (await freePorts(2)) as [number, number];
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  server.remove();
  gateway.remove();
  rmSync(dataDir, { recursive: true, force: true });
  await postgres.stop();
});

/** Starts an image as a container engine would: its own environment, and the container's laid over it. */
function run({ stage, folder }: ImageTree, env: Record<string, string>, command = stage.command!) {
  const [program, ...args] = [...stage.entrypoint!, ...command];
  expect(program).toBe('node');
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...stage.env, ...env }, ...USER });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'exit').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  return {
    output: () => output,
    answers: (url: string) =>
      until(
        () =>
          fetch(url).then(
            ({ ok }) => ok,
            () => false,
          ),
        45_000,
        () => `${url} did not answer:\n${output}`,
        () => child.exitCode !== null,
      ),
    stop: () => {
      child.kill(stage.stopSignal as NodeJS.Signals);
      return ended;
    },
  };
}

/** @returns what the image's HEALTHCHECK ends with. */
async function healthOf({ stage, folder }: ImageTree, env: Record<string, string>): Promise<number | null> {
  const [, ...args] = stage.healthcheck!;
  const child = spawn(process.execPath, args, { cwd: folder, env, ...USER });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

const packagesOf = ({ folder }: ImageTree): string[] => {
  const packages = join(folder, 'node_modules');
  return existsSync(packages) ? readdirSync(packages).toSorted() : [];
};

/** Names of the packages that are part of the program. */
const bundledIn = ({ folder }: ImageTree): string[] => [
  ...new Set(
    [...readFileSync(join(folder, 'dist/licenses.txt'), 'utf8').matchAll(/^== (\S+) /gm)].map(([, name]) => name!),
  ),
];

describe('the images', () => {
  it('run a server and a gateway in cloud mode, which answer for their health and stop on the signal', async () => {
    const serverEnv = {
      DATABASE_URL: databaseUrl,
      SPANDREL_SECRET_KEY: SECRET_KEY,
      SPANDREL_ADMIN_TOKEN: 'an-admin-token-of-a-test',
      SPANDREL_PORT: String(apiPort),
      SPANDREL_DATA_DIR: dataDir,
      SPANDREL_SHUTDOWN_DELAY: '0',
    };
    const gatewayEnv = {
      SPANDREL_API_URL: `http://127.0.0.1:${apiPort}`,
      SPANDREL_API_KEY: apiKeyOf(0n),
      SPANDREL_GATEWAY_PORT: String(gatewayPort),
      SPANDREL_SHUTDOWN_DELAY: '0',
    };
    expect(await healthOf(server, serverEnv)).toBe(1);
    const api = run(server, serverEnv);
    const proxy = run(gateway, gatewayEnv);
    for (const path of ['livez', 'readyz']) {
      await api.answers(`http://127.0.0.1:${apiPort}/${path}`);
      await proxy.answers(`http://127.0.0.1:${gatewayPort}/${path}`);
    }
    expect(await healthOf(server, serverEnv)).toBe(0);
    expect(await healthOf(gateway, gatewayEnv)).toBe(0);
    expect(api.output()).toContain('cloud mode');
    expect([await proxy.stop(), await api.stop()]).toEqual([0, 0]);
    expect(await healthOf(gateway, gatewayEnv)).toBe(1);
  });

  it('run everything in local mode from the server image', async () => {
    const env = {
      SPANDREL_MODE: 'local',
      SPANDREL_PORT: String(apiPort),
      SPANDREL_GATEWAY_PORT: String(gatewayPort),
      SPANDREL_DATA_DIR: dataDir,
    };
    const all = run(server, env, ['serve']);
    await all.answers(`http://127.0.0.1:${apiPort}/readyz`);
    await all.answers(`http://127.0.0.1:${gatewayPort}/readyz`);
    expect(existsSync(join(dataDir, 'spandrel.db'))).toBe(true);
    expect(await all.stop()).toBe(0);
  });

  it('know the commands of the operator by the name of the program', () => {
    for (const { stage, folder } of [server, gateway]) {
      const [, program] = /^ln -s (\S+) \/usr\/local\/bin\/spandrel$/.exec(
        stage.runs.find((line) => line.startsWith('ln -s'))!,
      )!;
      const { stdout } = spawnSync(program!.replace('/app', folder), ['secrets', 'rotate', '--help'], {
        env: { PATH: dirname(process.execPath) },
        encoding: 'utf8',
        ...USER,
      });
      expect(stdout).toContain('Usage: spandrel secrets rotate');
    }
  });

  it('take no more packages along than they load, and no database to the gateway', () => {
    expect(packagesOf(server)).toEqual(['better-sqlite3', 'piscina', 'swagger-ui-dist']);
    expect(packagesOf(gateway)).toEqual(['piscina']);
    expect(bundledIn(server)).toEqual(expect.arrayContaining(['@mikro-orm/core', '@nestjs/core', 'undici']));
    expect(bundledIn(gateway)).toContain('undici');
    for (const name of ['@mikro-orm/core', '@nestjs/core', 'kysely', 'redis'])
      expect(bundledIn(gateway)).not.toContain(name);
  });
});
