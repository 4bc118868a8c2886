import { parseExactJson } from '@spandrel/contract';
import type { Endpoint, RecordedAnswer } from '@spandrel/plugin-api';
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
  return readStreamed(endpoint, framing ?? endpoint.framing, body);
}

function framingOf(contentType: string | null): Endpoint['framing'] | 'json' | undefined {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (type === 'text/event-stream') return 'sse';
  if (type === 'application/x-ndjson' || type === 'application/ndjson' || type === 'application/jsonl') return 'ndjson';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : undefined;
}

function readStreamed(endpoint: Endpoint, framing: Endpoint['framing'], body: BufferedBody): ReadAnswer {
  const { reader, firstTokenAt } = readStream(endpoint, framing, body);
  const answer = reader.answer();
  const begun = reader.started || reader.ended || answer.model !== null || answer.error !== null;
  return {
    streaming: true,
    answer: begun ? answer : null,
    complete: reader.ended || answer.finishReason !== null,
    firstTokenAt,
  };
}

function readWhole(endpoint: Endpoint, facts: AnswerFacts, body: BufferedBody): ReadAnswer {
  const parsed = parseBody(body);
  const complete = facts.contentLength === null ? parsed !== undefined : body.bytes >= facts.contentLength;
  const answer = parsed === undefined ? null : endpoint.readAnswer(parsed);
  return { streaming: false, answer, complete, firstTokenAt: null };
}

/** The JSON value of a body, as much as was kept of it; `undefined` when it is none. */
export function parseBody(body: BufferedBody): unknown {
  if (body.pieces.length === 0) return undefined;
  try {
    return isTruncated(body)
      ? parsePartialJson(textOf(body.pieces), textOf(body.tail))
      : parseExactJson(textOf(body.pieces));
  } catch {
    return undefined;
  }
}

/** Bytes as text, a byte order mark taken off. */
function textOf(pieces: BufferedBody['pieces']): string {
  const bytes = pieces.length === 1 ? pieces[0]!.data : Buffer.concat(pieces.map(({ data }) => data));
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
