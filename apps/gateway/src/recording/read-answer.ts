import { parseExactJson } from '@spandrel/contract';
import type { Endpoint, RecordedAnswer, StreamFrame } from '@spandrel/plugin-api';
import { isTruncated, type BufferedBody } from './body-buffer.js';
import type { AnswerFacts } from './call-facts.js';
import { parsePartialJson } from './partial-json.js';
import { readStream } from './read-stream.js';

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
    const whole = readWhole(endpoint, facts, body);
    if (whole.complete || !asked) return whole;
    const streamed = readStreamed(endpoint, endpoint.framing, body);
    return streamed.answer !== null ? streamed : whole;
  }
  const streamed = readStreamed(endpoint, framing ?? endpoint.framing, body);
  // An error that comes in place of a stream is often no event.
  if (streamed.answer !== null || isTruncated(body)) return streamed;
  const whole = readWhole(endpoint, facts, body);
  return whole.answer === null ? streamed : { ...whole, streaming: true };
}

/** How an answer of that media type is framed; `undefined` where it does not say. */
export function framingOf(contentType: string | null): Endpoint['framing'] | 'json' | undefined {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'text/event-stream') return 'sse';
  if (type === 'application/x-ndjson' || type === 'application/ndjson' || type === 'application/jsonl') return 'ndjson';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : undefined;
}

function readStreamed(endpoint: Endpoint, framing: Endpoint['framing'], body: BufferedBody): ReadAnswer {
  const { reader, firstTokenAt, isEndLost } = readStream(endpoint, framing, body);
  const answer = reader.answer();
  const begun = reader.started || reader.ended || answer.model !== null || answer.error !== null;
  return {
    streaming: true,
    answer: begun ? answer : null,
    complete: reader.ended || answer.finishReason !== null,
    isEndLost,
    firstTokenAt,
  };
}

function readWhole(endpoint: Endpoint, facts: AnswerFacts, body: BufferedBody): ReadAnswer {
  const value = parseBody(body, VECTOR_ENDPOINTS.has(endpoint.name) ? textWithoutVectors : textOf);
  const complete = facts.contentLength === null ? value !== undefined : body.bytes >= facts.contentLength;
  const answer = value === undefined ? null : endpoint.readAnswer(value);
  return { streaming: false, answer, complete, isEndLost: false, firstTokenAt: null };
}

/**
 * The JSON value of a body, as much as was kept of it; `undefined` when it is none.
 * @param read the text of some pieces, as far as it matters.
 */
export function parseBody(body: BufferedBody, read = textOf): unknown {
  const { pieces, tail, gap } = body;
  if (pieces.length === 0) return undefined;
  if (gap !== 'none') return parsePartialJson(read(pieces), read(tail), gap === 'in-member');
  const text = read([...pieces, ...tail]);
  return parsed(text) ?? (isTruncated(body) ? parsePartialJson(text, '') : undefined);
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** A provider's own ids are shorter. */
const RESPONSE_ID_LENGTH_MAX = 256;

/** The id of a response of the Responses API, as its answer says; `null` when it does not. */
export function responseIdOf({ contentType }: AnswerFacts, body: BufferedBody): string | null {
  let found: unknown;
  if (framingOf(contentType) === 'sse') {
    const push = ({ data }: StreamFrame): void => {
      if (found !== undefined || !data.includes('"response"')) return;
      found = (Object(parsed(data)) as { response?: { id?: unknown } | null }).response?.id;
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
