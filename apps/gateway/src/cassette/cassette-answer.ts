import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { readJson } from '@spandrel/plugin-api';
import type { CassetteAnswer, CassetteEvent, Content, Mask } from './entry.js';

/** A piece of an answer, and when it came. */
export interface TimedPiece {
  data: Buffer;
  at: number;
}

export interface GivenAnswer {
  status: number;
  /** Name, value, name, value … */
  headers: readonly string[];
  pieces: readonly TimedPiece[];
  /** When the request went out, on the clock of the pieces. */
  sentAt: number;
  isCut: boolean;
}

/** Headers by which clients decide what to do; all others differ from call to call. */
const KEPT_HEADERS = new Set(['content-type', 'content-encoding', 'retry-after', 'retry-after-ms', 'x-should-retry']);

/** Bytes of a body that is no text above which it stands in a file of its own. */
const FILE_BYTES_MIN = 64 * 1024;

/** Takes the bytes of a body that stands in a file of its own. */
export type KeepFile = (name: string, data: Buffer) => void;

/** @returns the answer as a cassette has it, masked. */
export function describeAnswer(given: GivenAnswer, mask: Mask, keepFile: KeepFile): CassetteAnswer {
  const headers: Record<string, string> = {};
  for (let i = 0; i < given.headers.length; i += 2) {
    const name = given.headers[i]!.toLowerCase();
    if (KEPT_HEADERS.has(name)) headers[name] = given.headers[i + 1]!;
  }
  const head = { status: given.status, headers };
  const cut = given.isCut && { cut: true as const };
  const bytes = Buffer.concat(given.pieces.map(({ data }) => data));
  const type = headers['content-type'] ?? '';
  const framing = /^text\/event-stream/i.test(type) ? 'sse' : /ndjson|jsonl/i.test(type) ? 'ndjson' : undefined;
  const isText = isUtf8(bytes) && headers['content-encoding'] === undefined;
  if (framing !== undefined && isText && bytes.length > 0)
    return { ...head, framing, ...streamOf(given, bytes, framing, mask), ...cut };
  return { ...head, ...(bytes.length > 0 && contentOf(bytes, isText, type, mask, keepFile)), ...cut };
}

function contentOf(bytes: Buffer, isText: boolean, type: string, mask: Mask, keepFile: KeepFile): Content {
  if (!isText) {
    if (bytes.length <= FILE_BYTES_MIN) return { base64: bytes.toString('base64') };
    const file = `${hash('sha256', bytes).slice(0, 16)}.${/\/([a-z0-9]{1,8})/i.exec(type)?.[1] ?? 'bin'}`;
    keepFile(file, bytes);
    return { file };
  }
  const text = bytes.toString('utf8');
  const newline = text.endsWith('\n');
  const json = newline ? text.slice(0, -1) : text;
  // YAML has no lone surrogates.
  if (!/\\u[dD][89a-fA-F]/.test(json)) {
    for (const indent of [0, 2]) {
      const body = sameJson(json, indent);
      if (body === undefined) continue;
      return { ...(indent > 0 && { indent }), ...(newline && { newline }), body: mask(body) };
    }
  }
  return { text: maskText(text, mask) };
}

/** @returns the value of a JSON text that is written the same way again; `undefined` for others. */
function sameJson(text: string, indent: number): unknown {
  const value = readJson(text);
  return value !== undefined && JSON.stringify(value, null, indent) === text ? value : undefined;
}

/** Masks a text, the values in it where it is JSON. */
function maskText(text: string, mask: Mask): string {
  const value = readJson(text);
  if (value === undefined) return mask(text);
  const after = JSON.stringify(mask(value));
  return JSON.stringify(value) === after ? text : after;
}

function streamOf(
  { pieces, sentAt }: GivenAnswer,
  bytes: Buffer,
  framing: 'sse' | 'ndjson',
  mask: Mask,
): Pick<CassetteAnswer, 'pauses_ms' | 'events'> {
  const texts = bytes
    .toString('utf8')
    .match(framing === 'sse' ? /[^]*?(?:\r\n\r\n|\n\n|\r\r)|[^]+$/g : /[^\n]*\n|[^\n]+$/g)!;
  const pauses: number[] = [];
  let [end, piece, pieceEnd, before] = [0, 0, pieces[0]!.data.length, sentAt];
  for (const text of texts) {
    end += Buffer.byteLength(text);
    while (pieceEnd < end) pieceEnd += pieces[++piece]!.data.length;
    const { at } = pieces[piece]!;
    pauses.push(Math.max(0, Math.round(at - before)));
    before = at;
  }
  const masked = maskAcross(texts, framing, mask);
  return { pauses_ms: pauses.join(' '), events: masked.map((text) => eventOf(text, framing, mask)) };
}

/** Members of events that hold pieces of one text. */
const PIECES: ReadonlySet<string> = new Set(
  'content text delta arguments partial_json thinking reasoning reasoning_content refusal response input'.split(' '),
);

/** Members that say which text a piece is of. */
const PLACES = ['type', 'index', 'output_index', 'content_index', 'summary_index', 'item_id'];

/** A piece of a text, in the event that has it. */
interface TextPiece {
  event: number;
  holder: Record<string, unknown>;
  name: string;
}

/** @returns the events, with what their pieces of one text hold together masked: a key may begin in one and end in another. */
function maskAcross(texts: readonly string[], framing: 'sse' | 'ndjson', mask: Mask): string[] {
  const bodies = texts.map((text) => (framing === 'sse' ? SSE.exec(text)?.[2] : text)?.trim() ?? '');
  const values = bodies.map((body) => (body.startsWith('{') ? readJson(body) : undefined));
  const joined = new Map<string, TextPiece[]>();
  for (const [event, value] of values.entries()) gatherPieces(value, '', event, joined);
  const changed = new Set<number>();
  for (const pieces of joined.values()) {
    const before = pieces.map(({ holder, name }) => holder[name] as string);
    const masked = mask(before.join(''));
    // What is found within a piece is masked there.
    if (masked === before.map((text) => mask(text)).join('')) continue;
    for (const [index, { event, holder, name }] of pieces.entries()) {
      holder[name] = index === 0 ? masked : '';
      changed.add(event);
    }
  }
  return texts.map((text, event) =>
    changed.has(event) ? text.replace(bodies[event]!, () => JSON.stringify(values[event])) : text,
  );
}

function gatherPieces(value: unknown, path: string, event: number, into: Map<string, TextPiece[]>): void {
  if (typeof value !== 'object' || value === null) return;
  const holder = value as Record<string, unknown>;
  const place = Array.isArray(value) ? path : `${path}#${PLACES.map((name) => String(holder[name])).join()}`;
  for (const [name, inner] of Object.entries(holder)) {
    const below = `${place}.${name}`;
    if (typeof inner !== 'string') gatherPieces(inner, below, event, into);
    else if (PIECES.has(name)) {
      const pieces = into.get(below);
      if (pieces) pieces.push({ event, holder, name });
      else into.set(below, [{ event, holder, name }]);
    }
  }
}

const SSE = /^(?:event: ([^\r\n]*)\n)?data: ([^\r\n]*)\n\n$/;

function eventOf(text: string, framing: 'sse' | 'ndjson', mask: Mask): CassetteEvent {
  if (framing === 'ndjson') {
    const line = text.slice(0, -1);
    return text.endsWith('\n') && !line.endsWith('\r') ? maskText(line, mask) : { text: maskText(text, mask) };
  }
  const match = SSE.exec(text);
  if (!match) return { text: mask(text) };
  const data = maskText(match[2]!, mask);
  return match[1] === undefined ? data : { event: match[1], data };
}

/** @returns the bytes of each event of a stream. */
export function eventBytes({ events = [], framing }: CassetteAnswer): Buffer[] {
  return events.map((event) => {
    if (typeof event === 'string') return Buffer.from(framing === 'ndjson' ? `${event}\n` : `data: ${event}\n\n`);
    return Buffer.from('text' in event ? event.text : `event: ${event.event}\ndata: ${event.data}\n\n`);
  });
}

/** @returns the bytes of an answer that is no stream. @param readFile reads a file of the cassette. */
export function contentBytes(answer: CassetteAnswer, readFile: (name: string) => Buffer): Buffer {
  const { body, indent = 0, newline, text, base64, file } = answer;
  if (body !== undefined) return Buffer.from(JSON.stringify(body, null, indent) + (newline ? '\n' : ''));
  if (text !== undefined) return Buffer.from(text);
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return file === undefined ? Buffer.alloc(0) : readFile(file);
}
