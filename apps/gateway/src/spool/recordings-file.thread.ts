/**
 * The far end of {@link RecordingsThread}: the SQLite file of a spool directory (ADR 0062). Its functions run one at a time, in
 * a thread, since each of them may wait for the disk. It runs as it is, compiled or not, so it imports nothing but Node.
 */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** `workerData` of the thread. */
export interface RecordingsFileOptions {
  directory: string;
  /** SQLite's `synchronous`: whether a transaction waits until the disk has it. */
  synchronous: 'full' | 'normal';
}

export interface StoredRecording {
  /** Id of its span; ids are in the order in which calls began. */
  id: string;
  /** The key that it is delivered with, see `KeySeal`; `null` for the gateway's own. */
  digest: string | null;
  sealed: string | null;
  /** JSON. */
  trace: string;
  span: string;
  /** Whether the call is over; one that is not was under way when the gateway was killed. */
  finished: boolean;
}

export interface RecordingChanges {
  put: readonly StoredRecording[];
  /** Ids. */
  removed: readonly string[];
}

/** How many damaged files were moved to the quarantine since this was last asked, and how many were removed from there. */
export interface QuarantineChanges {
  quarantined: number;
  removed: number;
}

export type OpenResult =
  | ({ kind: 'open' } & QuarantineChanges)
  | { kind: 'in-use' }
  | { kind: 'unreadable'; message: string };

const FILE = 'recordings.db';
const QUARANTINE = 'quarantine';
const QUARANTINED_MAX = 10;
const SCHEMA_VERSION = 1;

/** What the thread does. Each function takes one input, and returns what can be cloned. */
const FUNCTIONS = { open, write, read, compact, close };
export type RecordingsFunctions = typeof FUNCTIONS;

/** Calls a function; it is answered by a {@link RecordingsReply} with the same number. */
export interface RecordingsRequest {
  number: number;
  name: keyof RecordingsFunctions;
  input: unknown;
}

export interface RecordingsReply {
  number: number;
  result?: unknown;
  /** What the function has thrown. */
  error?: string;
}

/** How much of a page of recordings is read at a time. */
const PAGE_ROWS = 500;
const PAGE_CHARS = 4 * 1024 * 1024;

/** Pages of the log, 64 MiB, at which a commit copies them: others wait meanwhile, and for the disk twice. */
const LOG_PAGES_MAX = 16_384;

/** Primary result codes of SQLite. */
const BUSY = 5;
const IO_ERROR = 10;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

const { directory, synchronous } = workerData as RecordingsFileOptions;
const file = join(directory, FILE);
const quarantine = join(directory, QUARANTINE);

interface Connection {
  database: DatabaseSync;
  put: StatementSync;
  remove: StatementSync;
  page: StatementSync;
}

let connection: Connection | null = null;
let quarantineChanges: QuarantineChanges = { quarantined: 0, removed: 0 };

/**
 * Opens the file and holds it for this process. A damaged one is moved to the quarantine, and what can be read of it is in
 * a new one.
 */
function open(): OpenResult {
  try {
    connected();
    return { kind: 'open', ...takeQuarantineChanges() };
  } catch (error) {
    return codeOf(error) === BUSY ? { kind: 'in-use' } : { kind: 'unreadable', message: (error as Error).message };
  }
}

/** Makes changes in one transaction. @throws when the disk refuses them; then none is made. */
function write({ put, removed }: RecordingChanges): QuarantineChanges {
  try {
    const { database, ...statements } = connected();
    transaction(database, () => {
      for (const recording of put) statements.put.run(...valuesOf(recording));
      for (const id of removed) statements.remove.run(id);
    });
    return takeQuarantineChanges();
  } catch (error) {
    // The next write opens it again, and looks for damage.
    if ([IO_ERROR, CORRUPT, NOT_A_DATABASE].includes(codeOf(error))) disconnect();
    throw error;
  }
}

/** The recordings behind an id, oldest first: one page, empty behind the last. */
function read({ after }: { after: string }): StoredRecording[] {
  const recordings: StoredRecording[] = [];
  let chars = 0;
  for (const row of connected().page.iterate(after)) {
    const recording = recordingOf(row);
    recordings.push(recording);
    chars += recording.span.length + recording.trace.length;
    if (chars >= PAGE_CHARS) break;
  }
  return recordings;
}

/** Gives the room of an empty file back to the disk, so that nothing stays in it of what was delivered. */
function compact(): void {
  const { database } = connected();
  const { count } = database.prepare('select count(*) as count from recordings').get() as { count: number };
  if (count === 0) database.exec('vacuum; pragma wal_checkpoint(truncate)');
}

function close(): void {
  compact();
  disconnect();
}

function takeQuarantineChanges(): QuarantineChanges {
  const changes = quarantineChanges;
  quarantineChanges = { quarantined: 0, removed: 0 };
  return changes;
}

function connected(): Connection {
  connection ??= connect();
  return connection;
}

function disconnect(): void {
  const former = connection;
  connection = null;
  former?.database.close();
}

function connect(): Connection {
  try {
    return checked(openFile(file));
  } catch (error) {
    const code = codeOf(error);
    if (code !== CORRUPT && code !== NOT_A_DATABASE) throw error;
  }
  const damaged = quarantineFile();
  const opened = checked(openFile(file));
  salvage(damaged, opened);
  return opened;
}

function openFile(path: string): DatabaseSync {
  makePrivate(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Exclusive: one gateway a directory, and no file of shared memory.
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal');
    database.exec(`pragma synchronous = ${synchronous}; pragma wal_autocheckpoint = ${LOG_PAGES_MAX}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite makes files with the mode of the umask, and a log with the mode of its database. */
function makePrivate(path: string): void {
  // To open and close one that is there would end this process's locks on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** @throws an error with the code of a damaged file where it is one. */
function checked(database: DatabaseSync): Connection {
  try {
    const found = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (found.quick_check !== 'ok') throw Object.assign(new Error(found.quick_check), { errcode: CORRUPT });
    const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number };
    if (version > SCHEMA_VERSION) throw new Error(`${FILE} was written by a newer version of Spandrel`);
    database.exec(`
      create table if not exists recordings (
        id text primary key, digest text, sealed text, trace text not null, span text not null, finished integer not null
      ) strict;
      pragma user_version = ${SCHEMA_VERSION};
    `);
    for (const row of database.prepare('select trace, span from recordings').iterate()) {
      if (!isWhole(row)) throw Object.assign(new Error('a recording is damaged'), { errcode: CORRUPT });
    }
    return {
      database,
      put: database.prepare(`
        insert into recordings (id, digest, sealed, trace, span, finished) values (?, ?, ?, ?, ?, ?)
        on conflict (id) do update set trace = excluded.trace, span = excluded.span, finished = excluded.finished
      `),
      remove: database.prepare('delete from recordings where id = ?'),
      page: database.prepare(`select * from recordings where id > ? order by id limit ${PAGE_ROWS}`),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @returns where it is now. */
function quarantineFile(): string {
  mkdirSync(quarantine, { recursive: true, mode: 0o700 });
  const target = join(quarantine, `recordings-${Date.now()}.db`);
  renameSync(file, target);
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${target}-wal`);
  quarantineChanges.quarantined++;
  // Their names are in the order in which they came.
  const files = readdirSync(quarantine).filter((name) => name.endsWith('.db'));
  for (const name of files.toSorted().slice(0, -QUARANTINED_MAX)) {
    rmSync(join(quarantine, name), { force: true });
    rmSync(join(quarantine, `${name}-wal`), { force: true });
    quarantineChanges.removed++;
  }
  return target;
}

/** Copies what can be read of a damaged file: from its beginning to the damage, and from its end back to it. */
function salvage(damaged: string, { database: target, put }: Connection): void {
  let source: DatabaseSync;
  try {
    source = openFile(damaged);
  } catch {
    return;
  }
  for (const order of ['asc', 'desc']) {
    try {
      const rows = source.prepare(`select * from recordings order by rowid ${order}`).iterate();
      transaction(target, () => {
        for (let row = nextOf(rows); row !== undefined; row = nextOf(rows)) {
          if (isWhole(row)) put.run(...valuesOf(recordingOf(row)));
        }
      });
    } catch {
      // The table cannot be found.
    }
  }
  source.close();
}

/** @returns `undefined` behind the last row and where the damage begins. */
function nextOf(rows: Iterator<object>): object | undefined {
  try {
    const { value, done } = rows.next();
    return done ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether the texts of a row are JSON: SQLite does not see damage within a text. */
function isWhole(row: object): boolean {
  try {
    const { trace, span } = row as StoredRecording;
    JSON.parse(trace);
    JSON.parse(span);
    return true;
  } catch {
    return false;
  }
}

function transaction(database: DatabaseSync, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** The values of a recording in the order of its columns. */
const valuesOf = ({ id, digest, sealed, trace, span, finished }: StoredRecording) =>
  [id, digest, sealed, trace, span, finished ? 1 : 0] as const;

/** A call that was under way when the gateway was killed has failed. */
function recordingOf(row: object): StoredRecording {
  const recording = { ...(row as StoredRecording), finished: Boolean((row as StoredRecording).finished) };
  return recording.finished ? recording : { ...recording, span: stopped(recording.span), finished: true };
}

function stopped(running: string): string {
  const span = JSON.parse(running) as { started_at: string };
  return JSON.stringify({ ...span, status: { failed: { error: 'gateway stopped' } }, ended_at: span.started_at });
}

/** The primary result code of an error of SQLite; 0 for other errors. */
const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

parentPort!.on('message', ({ number, name, input }: RecordingsRequest) => {
  const reply: RecordingsReply = { number };
  try {
    reply.result = (FUNCTIONS[name] as (input: unknown) => unknown)(input);
  } catch (error) {
    reply.error = (error as Error).message;
  }
  parentPort!.postMessage(reply);
  if (name === 'close') parentPort!.close();
});
