import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '../test/support/ports.ts';
import { bytesOnDisk } from './database.ts';
import { startPeer } from './process.ts';
import { fillSpans } from './query-data.ts';

/** A data directory with many spans in it. */
export interface FilledDatabase {
  dataDir: string;
  /** When the first and the last span started, in milliseconds since the epoch. */
  range: { from: number; to: number };
  /** Bytes of the database when it had been filled. */
  bytes: number;
  /** Spans a second of the fill. */
  perSecond: number;
}

/** Written last: a folder without it was not filled to the end. */
const MARK = 'filled.json';
/**
 * Events are kept for seconds: the database then is as one of 30 days, of whose events all but the last day's are gone, and
 * a few gigabytes smaller meanwhile.
 */
export const FILL_CONFIG = 'events: { retention_hours: 0.01 }\n';
/** The program that opens a database may have to migrate it first. */
export const START_MS_MAX = 3_600_000;

const made = new Map<string, FilledDatabase>();

/**
 * The database that parts of the bench ask questions to, filled once a run.
 * @param name what the folder is named for. @param fillWith sends the spans to a server.
 * @param keep a folder in which it stays for later runs, which find it there; those use it as it is, and a newer version migrates it.
 */
export async function openFilled(
  spans: number,
  keep: string | undefined,
  name = 'sqlite',
  fillWith = fillSpans,
): Promise<FilledDatabase> {
  const known = made.get(`${name}-${spans}`);
  if (known !== undefined) return known;
  const folder = keep === undefined ? temporaryFolder() : resolve(keep, `${name}-${spans}`);
  const mark = join(folder, MARK);
  const kept = existsSync(mark)
    ? (JSON.parse(readFileSync(mark, 'utf8')) as Omit<FilledDatabase, 'dataDir'>)
    : undefined;
  const dataDir = join(folder, 'data');
  const filled = { ...(kept ?? (await fill(folder, dataDir, spans, fillWith))), dataDir };
  if (kept === undefined) writeFileSync(mark, JSON.stringify(filled));
  made.set(`${name}-${spans}`, filled);
  return filled;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function fill(
  folder: string,
  dataDir: string,
  spans: number,
  fillWith: typeof fillSpans,
): Promise<Omit<FilledDatabase, 'dataDir'>> {
  // What a run left that was ended in the middle.
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const config = join(folder, 'fill.yaml');
  writeFileSync(config, FILL_CONFIG);
  const [port] = await freePorts(1);
  const args = [
    resolve('dist/apps/server/src/main.js'),
    '--port',
    String(port),
    '--data-dir',
    dataDir,
    '--config',
    config,
  ];
  const peer = await startPeer(process.execPath, args, [port!]);
  try {
    const began = performance.now();
    const range = await fillWith(`http://127.0.0.1:${port}`, spans);
    const perSecond = spans / ((performance.now() - began) / 1_000);
    return { range, perSecond, bytes: bytesOnDisk(dataDir) };
  } finally {
    await peer.stop();
  }
}
