import type { Endpoint } from '@spandrel/plugin-api';
import type { BodyNature } from './body-buffer.js';
import type { AnswerFacts } from './call-facts.js';
import { codingsOf } from './decode-body.js';
import { JSON_FORM } from './long-body.js';
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
  const isStream = framing !== 'json';
  return {
    codings: codingsOf(answer?.contentEncoding),
    form: { framing, isTextAlone: (event) => isStream && isTextAlone(endpoint, framing, event) },
  };
}

/** Whether a reader that is shown one event alone finds nothing in it but text. */
function isTextAlone(endpoint: Endpoint, framing: Endpoint['framing'], event: Buffer): boolean {
  try {
    const pieces = [{ data: event, at: 0 }];
    const { reader } = readStream(endpoint, framing, { pieces, tail: [], gap: 'none', bytes: event.length });
    const { text, toolCalls, finishReason, usage, error } = reader.answer();
    const saysMore = reader.ended || toolCalls.length > 0 || finishReason !== null || error !== null;
    return !saysMore && !!text && usage.inputTokens === null && usage.outputTokens === null;
  } catch {
    return false;
  }
}
