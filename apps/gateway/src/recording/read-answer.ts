import { StringDecoder } from 'node:string_decoder';
import { endOfString, JSON_DEPTH_MAX } from '@spandrel/contract';
import { createFramer, type Framer } from '@spandrel/kernel';
import {
  readExactJson,
  type Endpoint,
  type RecordedAnswer,
  type StreamFrame,
  type StreamReader,
} from '@spandrel/plugin-api';
import { isTruncated, type BufferedBody, type Piece } from './body-buffer.js';
import type { AnswerFacts } from './call-facts.js';

/** What an answer with a good status says. */
export interface ReadAnswer {
  streaming: boolean;
  /** `null` when nothing can be read in it. */
  answer: RecordedAnswer | null;
  /** The answer has come to its own end: whole JSON, an end mark, a finish reason. */
  complete: boolean;
  /** The end of a stream was not kept: whether it is complete is not known. */
  isEndLost: boolean;
  firstTokenAt: number | null;
}

/**
 * Reads the body of a 2xx answer: the answer's own media type says whether it is a stream, and where that does not,
 * what the request asked for.
 * @param asked whether the request asked for a stream.
 */
export function readAnswer(endpoint: Endpoint, facts: AnswerFacts, body: BufferedBody, asked: boolean): ReadAnswer {
  const framing = framingOf(facts.contentType);
  if (framing === 'json' || (framing === undefined && !asked)) {
    const whole = readWhole(endpoint, facts, body, asked);
    if (whole.complete || !asked) return whole;
    const streamed = readStreamed(endpoint, endpoint.framing, facts, body);
    return streamed.begun ? streamed : whole;
  }
  const streamed = readStreamed(endpoint, framing ?? endpoint.framing, facts, body);
  // An error that comes in place of a stream is often no event.
  if (streamed.begun || isTruncated(body)) return streamed;
  const whole = readWhole(endpoint, facts, body, asked);
  if (whole.answer !== null) return { ...whole, streaming: true };
  // AWS's binary events and the like: nobody knows here how these end.
  const isOtherForm = framing === undefined && facts.contentType && !facts.contentType.startsWith('text/');
  return isOtherForm ? { ...streamed, answer: null } : streamed;
}

/** How an answer of that media type is framed; `undefined` where it does not say. */
export function framingOf(contentType: string | null): Endpoint['framing'] | 'json' | undefined {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'text/event-stream') return 'sse';
  if (type === 'application/x-ndjson' || type === 'application/ndjson' || type === 'application/jsonl') return 'ndjson';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : undefined;
}

/** @returns the answer, and whether anything of one was in the body. */
function readStreamed(
  endpoint: Endpoint,
  framing: Endpoint['framing'],
  { contentEncoding }: AnswerFacts,
  body: BufferedBody,
): ReadAnswer & { begun: boolean } {
  const { reader, firstTokenAt, isEndLost } = readStream(endpoint, framing, body);
  const answer = reader.answer();
  return {
    begun: reader.started || reader.ended || answer.model !== null || answer.error !== null,
    streaming: true,
    answer,
    complete: reader.ended || answer.finishReason !== null,
    // Nothing is there where nobody knows the body's coding.
    isEndLost: isEndLost || (contentEncoding !== null && body.bytes === 0),
    firstTokenAt,
  };
}

/** An answer that is a JSON list counts as a stream where one was asked for (Gemini, without `alt=sse`). */
function readWhole(endpoint: Endpoint, facts: AnswerFacts, body: BufferedBody, asked: boolean): ReadAnswer {
  const read = VECTOR_ENDPOINTS.has(endpoint.name) ? textWithoutVectors : textOf;
  const whole = parseBody(body, read);
  const complete = facts.contentLength === null ? whole !== undefined : body.bytes >= facts.contentLength;
  const value = whole ?? (body.gap === 'none' ? parsePartialJson(read([...body.pieces, ...body.tail]), '') : undefined);
  const answer = value === undefined ? null : endpoint.readAnswer(value);
  const streaming = asked && Array.isArray(value);
  return { streaming, answer, complete, isEndLost: false, firstTokenAt: null };
}

/**
 * The JSON value of a body, as much as was kept of it; `undefined` when it is none.
 * @param read the text of some pieces, as far as it matters.
 */
export function parseBody(body: BufferedBody, read = textOf): unknown {
  const { pieces, tail, gap } = body;
  if (gap !== 'none') return parsePartialJson(read(pieces), read(tail), gap === 'in-member');
  const text = read([...pieces, ...tail]);
  return readExactJson(text) ?? (isTruncated(body) ? parsePartialJson(text, '') : undefined);
}

/** What a proxy or a server of another kind says in plain text, its beginning; `undefined` for any other body. */
export const plainTextOf = ({ contentType }: AnswerFacts, { pieces }: BufferedBody): string | undefined =>
  /^text\/plain\b/i.test(contentType ?? '') ? textOf(pieces).trim().slice(0, PLAIN_TEXT_MAX).toWellFormed() : undefined;

const PLAIN_TEXT_MAX = 1_000;

/** A provider's own ids are shorter. */
const RESPONSE_ID_LENGTH_MAX = 256;

/** The id of a response of the Responses API, as its answer says; `null` when it does not. */
export function responseIdOf({ contentType }: AnswerFacts, body: BufferedBody): string | null {
  let found: unknown;
  if (framingOf(contentType) === 'sse') {
    const push = ({ data }: StreamFrame): void => {
      if (found !== undefined || !data.includes('"response"')) return;
      found = (Object(readExactJson(data)) as { response?: { id?: unknown } | null }).response?.id;
    };
    const reader = { started: false, ended: false, push, answer: () => null as never };
    readStream({ readStream: () => reader }, 'sse', body);
  } else {
    found = (Object(parseBody(body)) as { id?: unknown }).id;
  }
  return typeof found === 'string' && found !== '' && found.length <= RESPONSE_ID_LENGTH_MAX ? found : null;
}

/** Endpoints whose answers are vectors, which nobody reads: their numbers are not parsed. */
const VECTOR_ENDPOINTS: ReadonlySet<string> = new Set(['embeddings', 'embed']);

const textWithoutVectors = (pieces: BufferedBody['pieces']): string =>
  textOf(pieces).replace(/\[[-+.\deE,\s]*\]/g, '[]');

/** Bytes as text, a byte order mark taken off. */
function textOf(pieces: BufferedBody['pieces']): string {
  const bytes = pieces.length === 1 ? pieces[0]!.data : Buffer.concat(pieces.map(({ data }) => data));
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/**
 * Reads what is there of a JSON object whose middle was left out: its beginning, completed where it breaks off, and
 * the members at its end.
 * @param sameMember whether the ending begins in the member in which the beginning breaks off: a list goes on then.
 * @returns the object, or `undefined` when not even a beginning can be read.
 */
export function parsePartialJson(beginning: string, ending: string, sameMember = false): unknown {
  const first = readExactJson(completeJson(beginning));
  if (typeof first !== 'object' || first === null || Array.isArray(first)) return first;
  const { members, items } = readEnding(ending);
  const name = Object.keys(first).at(-1);
  const begun = name === undefined ? undefined : (first as Record<string, unknown>)[name];
  const list = sameMember && Array.isArray(begun) ? { [name!]: [...(begun as unknown[]), ...items] } : {};
  return { ...first, ...list, ...members };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Cuts JSON text that breaks off back to its last whole value and closes what is open. */
function completeJson(text: string): string {
  const open: string[] = [];
  let safe = 0;
  /** The last character outside strings that is no blank. */
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end === -1) {
        const isName = open.at(-1) === '}' && (before === OPEN_BRACE || before === COMMA);
        return (isName ? text.slice(0, safe) : `${withoutBrokenEscape(text)}"`) + closersOf(open);
      }
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      // Deeper text is not read, however it ends.
      if (open.push(code === OPEN_BRACE ? '}' : ']') > JSON_DEPTH_MAX) return text;
      safe = at + 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
      safe = at + 1;
    } else if (code === COMMA) {
      safe = at;
    }
    if (code > SPACE) before = code;
  }
  return text.slice(0, safe) + closersOf(open);
}

const closersOf = (open: readonly string[]): string => open.toReversed().join('');

/** A text that breaks off within a string, without an escape that breaks off. */
function withoutBrokenEscape(text: string): string {
  const broken = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(text.slice(-LONGEST_BROKEN_ESCAPE));
  if (!broken) return text;
  const at = text.length - broken[0].length;
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 0 ? text.slice(0, at) : text;
}

/** `\u` and three digits. */
const LONGEST_BROKEN_ESCAPE = 5;

/** What can be read of the end of an object. */
interface Ending {
  /** The last of its members, those that stand there whole. */
  members: Record<string, unknown>;
  /** The last items of the list before these. */
  items: unknown[];
}

const NOTHING: Ending = Object.freeze({ members: {}, items: [] });

/** Reads an object's text from its end: seen from there each bracket and quote is known for what it is. */
function readEnding(text: string): Ending {
  let membersAt = -1;
  /** Where the list or object ends that is open in the outermost, and where the first of its values begins that is whole. */
  let valueEnd = -1;
  let itemsAt = -1;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = startOfString(text, at);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth++ === 1) [valueEnd, itemsAt] = [at, -1];
    } else if (depth === 0) {
      if (code > SPACE) return NOTHING;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (--depth === 1) valueEnd = -1;
      if (depth === 0) {
        membersAt = at + 1;
        break;
      }
    } else if (code === COMMA) {
      if (depth === 1) membersAt = at + 1;
      else if (depth === 2) itemsAt = at + 1;
    }
  }
  const members = membersAt === -1 ? undefined : readExactJson(`{${text.slice(membersAt)}`);
  const isList = valueEnd !== -1 && itemsAt !== -1 && text.charCodeAt(valueEnd) === CLOSE_BRACKET;
  const items = isList ? readExactJson(`[${text.slice(itemsAt, valueEnd)}]`) : undefined;
  return {
    members: (members as Record<string, unknown> | undefined) ?? {},
    items: Array.isArray(items) ? items : [],
  };
}

/** The opening quote of a string. @param end its closing quote. @returns -1 where there is none. */
function startOfString(text: string, end: number): number {
  for (let at = end; ;) {
    at = at === 0 ? -1 : text.lastIndexOf('"', at - 1);
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (at === -1 || backslashes % 2 === 0) return at;
  }
}

interface ReadStream {
  reader: StreamReader;
  /** When the first token came, on the clock of the pieces; `null` when none did. */
  firstTokenAt: number | null;
  /** The end of the stream was not kept, so that nobody knows whether its end mark came. */
  isEndLost: boolean;
}

/**
 * Reads a streamed answer. Where its pieces are cut does not change what comes out.
 * @param framing how the answer is framed; see {@link Endpoint.framing}.
 */
export function readStream(
  endpoint: Pick<Endpoint, 'readStream'>,
  framing: Endpoint['framing'],
  body: BufferedBody,
): ReadStream {
  const reader = endpoint.readStream();
  const { pieces, tail, gap } = body;
  let isEndLost = false;
  const push = (frame: StreamFrame): void => {
    isEndLost = false;
    reader.push(frame);
  };
  const framer = createFramer(framing, push);
  const firstTokenAt = feedPieces(gap === 'none' ? [...pieces, ...tail] : pieces, framer, reader);
  if (gap !== 'none') {
    isEndLost = true;
    framer.skipToNext();
    feedPieces(tail, framer, reader);
  }
  framer.finish();
  return { reader, firstTokenAt, isEndLost };
}

/** Feeds piece by piece until the first token has shown, then the rest at once. */
function feedPieces(pieces: readonly Piece[], framer: Framer, reader: StreamReader): number | null {
  const decoder = new StringDecoder('utf8');
  let index = 0;
  let firstTokenAt: number | null = null;
  while (index < pieces.length && firstTokenAt === null) {
    const { data, at } = pieces[index++]!;
    framer.feed(decoder.write(data));
    if (reader.started) firstTokenAt = at;
  }
  if (index < pieces.length) framer.feed(decoder.write(Buffer.concat(pieces.slice(index).map(({ data }) => data))));
  return firstTokenAt;
}
