import { hash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { readEntry, type CassetteEntry } from './entry.js';
import { VOLATILE, type RequestMatch } from './cassette-request.js';

const FORMAT = 1;

/**
 * The line that begins an entry: the digest of its request, a sum of the request's text, and what it is of. By it a call is found
 * without any YAML being read, and what people have changed is known.
 */
const SEPARATOR = /(?<![^\n])--- # ([0-9a-f]{32})-([0-9a-f]{8}) ([^\r\n]*)(?![^\r\n])/g;

/** An entry of a file, which is read when it is asked for: ten thousand of them take seconds (ADR 0083). */
export class StoredEntry {
  /** How often it was an answer. */
  uses = 0;
  private read: CassetteEntry | undefined;

  /**
   * @param digest of its request, as `RequestMatch` made it.
   * @param sum of the text of its request when it was written.
   * @param label method, provider and path.
   * @param text its YAML.
   */
  constructor(
    readonly digest: string,
    readonly sum: string,
    readonly label: string,
    readonly text: string,
  ) {}

  static of(entry: CassetteEntry, match: RequestMatch): StoredEntry {
    const { request, answer, usage, reconstructed } = entry;
    const ordered = { ...(reconstructed && { reconstructed }), request, answer, ...(usage && { usage }) };
    const text = stringify(ordered, { lineWidth: 0, blockQuote: 'literal', aliasDuplicateObjects: false });
    const stored = new StoredEntry(match.digest(request, reconstructed), sumOf(text), labelOf(request), text);
    stored.read = entry;
    return stored;
  }

  /** @throws Error when its YAML is none, or no entry. */
  get entry(): CassetteEntry {
    return (this.read ??= readEntry(parse(this.text)));
  }

  /** Whether it was put together of a span. */
  get isReconstructed(): boolean {
    return this.text.startsWith('reconstructed: true');
  }

  /** Whether its request is as it was written. */
  get isAsWritten(): boolean {
    return sumOf(this.text) === this.sum;
  }
}

const sumOf = (text: string): string => hash('sha256', text.slice(0, text.indexOf('\nanswer:'))).slice(0, 8);

/** @returns method, provider and path without its query, in one line. */
export const labelOf = ({ method, provider, path }: CassetteEntry['request']): string =>
  `${method} ${provider} ${path.replace(/\?.*/s, '')}`;

export interface CassetteContent {
  /** Paths that requests are compared without, beyond those that always are. */
  ignore: string[];
  entries: StoredEntry[];
}

/**
 * Reads a cassette's file; entries are read when they are asked for.
 * @returns `null` where there is no file.
 * @throws Error when it is no cassette, or of a later format.
 */
export function readCassette(file: string): CassetteContent | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const marks = [...text.matchAll(SEPARATOR)];
  const header: unknown = parse(text.slice(0, marks[0]?.index));
  const { spandrel_cassette: format, ignore } = Object(header) as { spandrel_cassette?: unknown; ignore?: unknown };
  if (format !== FORMAT) throw new Error(`${file}: is no cassette of format ${FORMAT}`);
  const entries = marks.map(({ 0: line, 1: digest, 2: sum, 3: label, index }, n) => {
    const body = text.slice(index + line.length + 1, marks[n + 1]?.index);
    return new StoredEntry(digest!, sum!, label!, body);
  });
  return { ignore: Array.isArray(ignore) ? ignore.map(String).filter((path) => !isVolatile(path)) : [], entries };
}

const isVolatile = (path: string): boolean => (VOLATILE as readonly string[]).includes(path);

/** The folder beside a cassette's file that has its large bodies. */
const folderOf = (file: string): string => file.replace(/\.yaml$/, '');

/** Reads a body that stands in a file of its own. @throws Error when there is none of that name. */
export const readBody = (file: string, name: string): Buffer => readFileSync(join(folderOf(file), basename(name)));

/**
 * Puts a cassette in place as a whole: readers and a crash see the former one or this one.
 * @param bodies large bodies that are new, by name.
 * @throws Error when the disk does not take it.
 */
export function writeCassette(
  file: string,
  { ignore, entries }: CassetteContent,
  bodies: ReadonlyMap<string, Buffer> = new Map(),
): void {
  mkdirSync(dirname(file), { recursive: true });
  const folder = folderOf(file);
  if (bodies.size > 0) mkdirSync(folder, { recursive: true });
  for (const [name, data] of bodies) writeSafely(join(folder, name), data);
  const header = stringify({ spandrel_cassette: FORMAT, ignore: [...VOLATILE, ...ignore] }, { lineWidth: 0 });
  const documents = entries.map(({ digest, sum, label, text }) => `--- # ${digest}-${sum} ${label}\n${text}`);
  writeSafely(file, `# Recorded calls for tests: docs/cassettes.md of Spandrel.\n${header}${documents.join('')}`);
  removeUnnamed(folder, entries);
}

function writeSafely(file: string, data: string | Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  const opened = openSync(temporary, 'w');
  try {
    writeFileSync(opened, data);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(temporary, file);
}

/** Names of large bodies; other files of the folder are of cassettes below it, or of people. */
const BODY_NAME = /^[0-9a-f]{16}\.[a-z0-9]{1,8}$/;

/** Removes large bodies that no entry names any more. */
function removeUnnamed(folder: string, entries: readonly StoredEntry[]): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names.filter((each) => BODY_NAME.test(each))) {
    if (!entries.some(({ text }) => text.includes(name))) rmSync(join(folder, name));
  }
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}
