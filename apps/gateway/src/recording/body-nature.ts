import type { Endpoint } from '@spandrel/plugin-api';
import type { BodyNature } from './body-buffer.js';
import type { AnswerFacts } from './call-facts.js';
import { codingsOf } from './decode-body.js';
import { JSON_FORM, type EventWeight } from './long-body.js';
import { framingOf } from './read-answer.js';
import { readStream } from './read-stream.js';

/** What a request's body is. @param contentEncoding of the request. */
export const requestNature = (contentEncoding: string | null): BodyNature => ({
  codings: codingsOf(contentEncoding),
  form: JSON_FORM,
});

/** What an answer's body is. */
export function answerNature(endpoint: Endpoint, answer: AnswerFacts | null): BodyNature {
  const framing = framingOf(answer?.contentType ?? null) ?? endpoint.framing;
  return {
    codings: codingsOf(answer?.contentEncoding),
    form: framing === 'json' ? JSON_FORM : { framing, weightOf: (event) => weightOf(endpoint, framing, event) },
  };
}

/** A small event that a reader finds nothing in may belong to others: a piece of a call's arguments. */
const SMALL_BYTES = 4 * 1024;

function weightOf(endpoint: Endpoint, framing: Endpoint['framing'], event: Buffer): EventWeight {
  try {
    const pieces = [{ data: event, at: 0 }];
    const { reader } = readStream(endpoint, framing, { pieces, tail: [], gap: 'none', bytes: event.length });
    const { text, toolCalls, finishReason, usage, error } = reader.answer();
    const isEnd = reader.ended || finishReason !== null || error !== null;
    const hasTokens = usage.inputTokens !== null || usage.outputTokens !== null;
    if (isEnd || hasTokens || toolCalls.length > 0) return 'more';
    if (text) return 'text';
    return event.length > SMALL_BYTES ? 'nothing' : 'more';
  } catch {
    return 'nothing';
  }
}
