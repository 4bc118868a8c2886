import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '../support/ports.ts';
import { startPostgres } from '../support/postgres.ts';
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

/** Starts both, and stops what has started where the other does not. */
export async function startCloudServer(): Promise<CloudServer> {
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
    const [port] = await freePorts(1);
    const adminToken = randomBytes(24).toString('hex');
    peer = await startPeer(
      process.execPath,
      [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', join(folder, 'data')],
      [port!],
      {
        SPANDREL_MODE: 'cloud',
        DATABASE_URL: databaseUrl,
        SPANDREL_SECRET_KEY: randomBytes(32).toString('hex'),
        SPANDREL_ADMIN_TOKEN: adminToken,
      },
    );
    return { databaseUrl, base: `http://127.0.0.1:${port}`, adminToken, peer, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
