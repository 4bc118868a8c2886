import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** The API's database file in a data directory. */
function databaseFile(dataDir: string): string {
  const name = readdirSync(dataDir).find((file) => file.endsWith('.db') && !file.includes('lock'));
  if (name === undefined) throw new Error(`no database in ${dataDir}`);
  return join(dataDir, name);
}

export function countSpans(dataDir: string): number {
  const db = new Database(databaseFile(dataDir), { readonly: true });
  try {
    return (db.prepare('SELECT count(*) AS n FROM span').get() as { n: number }).n;
  } finally {
    db.close();
  }
}

/** Bytes of the database file and of its write-ahead log, once the log is copied into the file. */
export function bytesOnDisk(dataDir: string): number {
  const file = databaseFile(dataDir);
  const db = new Database(file);
  try {
    db.pragma('wal_checkpoint(truncate)');
    return [file, `${file}-wal`].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  } finally {
    db.close();
  }
}

/** An empty copy of the API's schema, set for the same durability. */
export function emptyCopy(dataDir: string, path: string): Database.Database {
  const source = new Database(databaseFile(dataDir), { readonly: true });
  const tables = source
    .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'index'")
    .all() as { sql: string }[];
  const db = new Database(path);
  db.pragma(`page_size = ${source.pragma('page_size', { simple: true })}`);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  for (const { sql } of tables) db.exec(sql);
  source.close();
  return db;
}

/** Rows a second of a bare loop that writes rows of a table again, `batch` rows a transaction. */
export function bareRowsPerSecond(dataDir: string, table: string, batch: number): number {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bare-'));
  const source = new Database(databaseFile(dataDir), { readonly: true });
  const db = emptyCopy(dataDir, join(folder, 'bare.db'));
  try {
    const rows = source.prepare(`SELECT * FROM ${table} ORDER BY rowid LIMIT 200000`).raw().all() as unknown[][];
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${Array(rows[0]!.length).fill('?').join(',')})`);
    const write = db.transaction((some: unknown[][]) => some.forEach((row) => insert.run(row)));
    const started = performance.now();
    for (let from = 0; from < rows.length; from += batch) write(rows.slice(from, from + batch));
    return rows.length / ((performance.now() - started) / 1000);
  } finally {
    source.close();
    db.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * The limit of an ingest: the rows the API stored, written again by a bare loop over prepared statements, `batch` spans
 * a transaction. @returns spans per second.
 */
export function bareSpansPerSecond(dataDir: string, batch: number): number {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bare-'));
  const source = new Database(databaseFile(dataDir), { readonly: true });
  const db = emptyCopy(dataDir, join(folder, 'bare.db'));
  try {
    const spans = source.prepare('SELECT * FROM span ORDER BY rowid LIMIT 50000').raw().all() as unknown[][];
    const payloads = source.prepare('SELECT * FROM span_payload ORDER BY rowid LIMIT 50000').raw().all() as unknown[][];
    const insert = (table: string, columns: number) =>
      db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill('?').join(',')})`);
    const [span, payload] = [insert('span', spans[0]!.length), insert('span_payload', payloads[0]!.length)];
    const write = db.transaction((from: number) => {
      for (let i = from; i < Math.min(from + batch, spans.length); i++) {
        span.run(spans[i]);
        payload.run(payloads[i]);
      }
    });
    const started = performance.now();
    for (let from = 0; from < spans.length; from += batch) write(from);
    return spans.length / ((performance.now() - started) / 1000);
  } finally {
    source.close();
    db.close();
    rmSync(folder, { recursive: true });
  }
}

/** Bytes that the rows of some tables take, without indexes and free space. */
export function tableBytes(dataDir: string, tables: readonly string[]): number {
  const db = new Database(databaseFile(dataDir), { readonly: true });
  try {
    const marks = tables.map(() => '?').join(',');
    const query = db.prepare(`SELECT coalesce(sum(payload), 0) AS bytes FROM dbstat WHERE name IN (${marks})`);
    return (query.get(...tables) as { bytes: number }).bytes;
  } finally {
    db.close();
  }
}
