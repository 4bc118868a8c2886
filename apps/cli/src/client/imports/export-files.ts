import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parseWithSources, readExactJson } from '@spandrel/contract/browser';
import { decodeUtf8, FileFault, jsonArrayRows, jsonlRows } from '@spandrel/uploads';
import { UsageFault } from '../exit-codes.js';

/** A file of an export. */
export interface ExportFile {
  path: string;
  /** The path from that of the export on, or its name where it is the export. */
  name: string;
}

/** What an export is made of. */
export interface ExportFiles {
  files: ExportFile[];
  /** Files that hold something of an export, in a form that is not read. */
  leftOut: { file: string; message: string }[];
}

const READ = /\.(?:json|jsonl|ndjson)(?:\.gz)?$/i;
const LINES = /\.(?:jsonl|ndjson)(?:\.gz)?$/i;
const NOT_READ = /\.(csv|parquet)(?:\.gz)?$/i;

/**
 * The files below a path, or the one that it is, in the order of their names. Links to elsewhere are not followed: they may
 * lead back. @throws UsageFault for a path that cannot be read.
 */
export async function findFiles(path: string): Promise<ExportFiles> {
  const found: ExportFiles = { files: [], leftOut: [] };
  try {
    const isFolder = (await stat(path)).isDirectory();
    if (isFolder) await walk(path, '', found);
    else found.files.push({ path, name: basename(path) });
  } catch (error) {
    const { code, path: at = path } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new UsageFault(`${at}: cannot be read (${code})`);
  }
  return found;
}

async function walk(folder: string, inside: string, found: ExportFiles): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) await walk(path, name, found);
    else if (entry.isSymbolicLink()) found.leftOut.push({ file: name, message: LINK });
    else if (entry.isFile() && READ.test(name)) found.files.push({ path, name });
    else if (NOT_READ.test(name)) found.leftOut.push({ file: name, message: OTHER_FORM });
  }
}

const LINK = 'is a symbolic link, which is not followed; give what it points to as PATH';
const OTHER_FORM = 'is CSV or Parquet, which is not read; export as JSON or JSON lines';

/** A record of a file, or why it cannot be had. `line` is the one that it begins in. */
export type FileRecord = { line: number; value: unknown } | { line: number; fault: string };

/** Longest record; a file that is one object is one record. */
const RECORD_BYTES_MAX = 256 * 1024 * 1024;

/**
 * The records of a file, packed by gzip or not: elements of a JSON array, JSON lines, or the one object that it is. What is
 * held is one record, of a file that is one object all of it. What cannot be read is a fault; the records behind it follow
 * where they can be found. @throws the reason of a signal that ends it.
 */
export async function* readRecords(path: string, signal?: AbortSignal): AsyncGenerator<FileRecord> {
  let file: Readable | undefined;
  try {
    file = await openFile(path);
    const texts = whileWanted(decodeUtf8(file), signal);
    for await (const rows of rowsOf(texts, path)) for (const row of rows) yield parse(row);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FileFault) yield { line: error.line, fault: `${error.message}; nothing behind it is read` };
    else if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    else yield { line: 1, fault: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    // Who stops in the middle, or at what is no record, has not come to the end that closes it.
    file?.destroy();
  }
}

async function* whileWanted(texts: AsyncGenerator<string>, signal?: AbortSignal): AsyncGenerator<string> {
  for await (const text of texts) {
    signal?.throwIfAborted();
    yield text;
  }
}

function parse(row: { line: number } & ({ json: string } | { fault: string })): FileRecord {
  if ('fault' in row) return row;
  try {
    return { line: row.line, value: readExactJson(row.json, parseWithSources) };
  } catch (error) {
    return { line: row.line, fault: `not valid JSON${(error as Error).message.replace(/^not valid JSON/, '')}` };
  }
}

/** The bytes of a file, unpacked where they begin as gzip does. */
async function openFile(path: string): Promise<Readable> {
  const handle = await open(path);
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0).catch(async (error: unknown) => {
    await handle.close();
    throw error;
  });
  const file = handle.createReadStream({ start: 0 });
  if (buffer.toString('hex') !== '1f8b') return file;
  // What goes wrong on the way is thrown by who reads.
  return pipeline(file, createGunzip(), () => undefined);
}

type Rows = AsyncGenerator<Iterable<{ line: number } & ({ json: string } | { fault: string })>>;

async function* rowsOf(texts: AsyncGenerator<string>, path: string): Rows {
  /** What shows the form of the file: all that comes before the end of its first line. */
  const head: string[] = [];
  let [size, blankLines] = [0, 0];
  while (size < RECORD_BYTES_MAX) {
    const { done, value: piece } = await texts.next();
    if (done === true) break;
    // Only the lines of blanks before the first record count: a packed file may have gigabytes of them.
    const text = size === 0 ? piece.trimStart() : piece;
    blankLines += linesIn(piece.slice(0, piece.length - text.length));
    if (text === '') continue;
    size += text.length;
    head.push(text);
    if (head[0]!.startsWith('[') || LINES.test(path) || text.includes('\n')) break;
  }
  if (size === 0) throw new FileFault(1, 'the file is empty');
  const isList = head[0]!.startsWith('[');
  const isLines = !isList && (LINES.test(path) || isWhole(head.join('').split('\n', 1)[0]!));
  // The one object that a file is stands as the only element of a list.
  const [open, close] = isLines || isList ? ['', ''] : ['[', ']'];
  const all = (async function* (): AsyncGenerator<string> {
    yield open;
    for (let left = blankLines; left > 0; left -= LINES_A_PIECE) yield '\n'.repeat(Math.min(left, LINES_A_PIECE));
    yield* head;
    yield* texts;
    yield close;
  })();
  yield* isLines
    ? jsonlRows(all, RECORD_BYTES_MAX, 'JSON lines')
    : jsonArrayRows(all, RECORD_BYTES_MAX, 'a JSON array');
}

const LINES_A_PIECE = 65_536;
const linesIn = (text: string): number => text.split('\n').length - 1;

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
