import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '../test/support/ports.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { START_MS_MAX } from './filled-database.ts';
import { startPeer, type Peer } from './process.ts';

/** The server in cloud mode on a Postgres of its own, which waits for the disk at every commit. */
export interface CloudServer {
  /** URL of the database. */
  databaseUrl: string;
  base: string;
  adminToken: string;
  peer: Peer;
  stop(): Promise<void>;
}

/** What a server in cloud mode is given. */
export interface CloudSecrets {
  secretKey: string;
  adminToken: string;
}

export const newSecrets = (): CloudSecrets => ({
  secretKey: randomBytes(32).toString('hex'),
  adminToken: randomBytes(24).toString('hex'),
});

/**
 * Starts a server in cloud mode on a database that is there.
 * @param args further flags.
 */
export async function startCloudPeer(
  databaseUrl: string,
  { secretKey, adminToken }: CloudSecrets,
  dataDir: string,
  args: readonly string[] = [],
): Promise<{ base: string; peer: Peer }> {
  const [port] = await freePorts(1);
  const peer = await startPeer(
    process.execPath,
    [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', dataDir, ...args],
    [port!],
    {
      SPANDREL_MODE: 'cloud',
      DATABASE_URL: databaseUrl,
      SPANDREL_SECRET_KEY: secretKey,
      SPANDREL_ADMIN_TOKEN: adminToken,
      SPANDREL_SHUTDOWN_DELAY: '0',
    },
    START_MS_MAX,
  );
  return { base: `http://127.0.0.1:${port}`, peer };
}

/** Starts both, and stops what has started where the other does not. @param args further flags of the server. */
export async function startCloudServer(args: readonly string[] = []): Promise<CloudServer> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const postgres = await startPostgres();
  let peer: Peer | undefined;
  const stop = async (): Promise<void> => {
    await peer?.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const databaseUrl = await postgres.createDatabase('bench');
    const secrets = newSecrets();
    const started = await startCloudPeer(databaseUrl, secrets, join(folder, 'data'), args);
    peer = started.peer;
    return { databaseUrl, base: started.base, adminToken: secrets.adminToken, peer, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
