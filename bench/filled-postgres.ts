import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { databaseUrl, startOwnPostgres } from '../test/support/postgres.ts';
import { Caller } from './caller.ts';
import { newSecrets, startCloudPeer, type CloudSecrets } from './cloud-server.ts';
import { FILL_CONFIG } from './filled-database.ts';
import { spanOf } from './postgres-data.ts';
import { countSpans, databaseBytes, INGEST_SPANS, query, sendSpans } from './postgres-database.ts';
import { SLICES_MADE, slicesMade } from './slices-made.ts';

/** What a run of the bench leaves for the next one beside the files of Postgres. */
interface Kept extends CloudSecrets {
  key: string;
  bytes: number;
  perSecond: number;
  stored: number;
  /** When the last span starts, about, in milliseconds since the epoch. */
  to: number;
}

/** A server in cloud mode on a database with many spans. */
interface FilledPostgres extends Pick<Kept, 'bytes' | 'perSecond' | 'stored' | 'to'> {
  caller: Caller;
  stop(): Promise<void>;
}

const DATABASE = 'bench';
const MARK = 'filled.json';
/** A provider that the bench plays itself. */
const SERVE_CONFIG = "connections: { allow_private: ['127.0.0.1'] }\n";

/**
 * Starts a Postgres of its own, filled with spans over 30 days, and a server on it.
 * @param name what the folder is named for. @param fillWith sends the spans, of which the last starts `to`.
 * @param keep a folder in which the database stays for later runs; a newer version migrates it there.
 */
export async function openFilledPostgres(
  spans: number,
  keep: string | undefined,
  name = 'postgres',
  fillWith = fillPlain,
): Promise<FilledPostgres> {
  const folder =
    keep === undefined ? mkdtempSync(join(tmpdir(), 'spandrel-bench-')) : resolve(keep, `${name}-${spans}`);
  mkdirSync(folder, { recursive: true });
  // Postgres runs as a user of its own where the bench is root's.
  chmodSync(folder, 0o777);
  const mark = join(folder, MARK);
  const files = join(folder, 'postgres');
  if (!existsSync(mark)) rmSync(files, { recursive: true, force: true });
  const postgres = await startOwnPostgres([], { files, stay: true });
  const url = databaseUrl(postgres.server, DATABASE);
  const stops = [
    () => postgres.stop(),
    () => Promise.resolve(keep === undefined && rmSync(folder, { recursive: true, force: true })),
  ];
  const stop = async (): Promise<void> => {
    for (const each of stops) await each();
  };
  try {
    if (!existsSync(mark)) {
      await postgres.createDatabase(DATABASE);
      writeFileSync(mark, JSON.stringify(await fill(url, folder, spans, fillWith)));
    }
    const kept = JSON.parse(readFileSync(mark, 'utf8')) as Kept;
    const config = join(folder, 'serve.yaml');
    writeFileSync(config, SERVE_CONFIG);
    const { base, peer } = await startCloudPeer(url, kept, join(folder, 'data'), ['--config', config]);
    stops.unshift(peer.stop);
    return { ...kept, caller: Caller.of(base, kept.key), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fill(url: string, folder: string, spans: number, fillWith: typeof fillPlain): Promise<Kept> {
  const secrets = newSecrets();
  const config = join(folder, 'fill.yaml');
  writeFileSync(config, FILL_CONFIG);
  const { base, peer } = await startCloudPeer(url, secrets, join(folder, 'data'), ['--config', config]);
  try {
    const caller = await Caller.withKey(base, secrets.adminToken);
    const to = Math.floor(Date.now() / 1_000) * 1_000;
    const began = performance.now();
    await fillWith(caller, spans, to);
    const perSecond = spans / ((performance.now() - began) / 1_000);
    // Autovacuum does so within minutes: sums are read of indexes alone once rows are known to be seen by all.
    await query(url, 'vacuum (analyze)');
    await slicesMade(spans, async () => (await query(url, SLICES_MADE))[0]!['made']);
    return {
      ...secrets,
      key: caller.key,
      bytes: await databaseBytes(url),
      perSecond,
      stored: await countSpans(url),
      to,
    };
  } finally {
    await peer.stop();
  }
}

async function fillPlain(caller: Caller, spans: number, to: number): Promise<void> {
  await sendSpans(
    caller,
    (n) => (n * INGEST_SPANS < spans ? n : undefined),
    (n) => spanOf(n, spans, to),
  );
}
