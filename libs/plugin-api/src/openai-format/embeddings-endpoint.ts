import type { Endpoint, RecordedAnswer } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { objectOf, textOf, without } from '../wire/lenient-json.js';
import { readOpenAiUsage } from './chat-answer.js';

/** Embeddings: the input is recorded as sent, the vectors are not; the answer never streams. */
export const embeddingsEndpoint: Endpoint = {
  name: 'embeddings',
  framing: 'sse',
  readRequest(body) {
    const request = objectOf(body);
    return {
      model: textOf(request['model']),
      input: request['input'] ?? null,
      streaming: false,
      parameters: without(request, 'model', 'input'),
    };
  },
  readAnswer,
  readStream: () => ({ started: false, ended: false, push() {}, answer: () => readAnswer(undefined) }),
};

function readAnswer(body: unknown): RecordedAnswer {
  const answer = objectOf(body);
  return {
    model: textOf(answer['model']),
    text: null,
    finishReason: null,
    toolCalls: [],
    usage: readOpenAiUsage(answer['usage']),
    error: embeddedErrorOf(body),
  };
}
