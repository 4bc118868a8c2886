import type { Usage } from '../chat.js';
import type { Endpoint, RecordedAnswer } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { countOf, objectOf, textOf, without } from '../wire/lenient-json.js';
import { readUsageOf } from './usage.js';

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
    usage: readUsage(answer),
    error: embeddedErrorOf(body),
  };
}

/** All tokens of embeddings are input; some servers report their total alone (Voyage). */
function readUsage(answer: Readonly<Record<string, unknown>>): Usage {
  const usage = objectOf(answer['usage']);
  const total = countOf(usage['total_tokens']);
  const read = readUsageOf({ ...answer, usage: answer['usage'] && without(usage, 'total_tokens') });
  return read.inputTokens === null && total !== null ? { ...read, inputTokens: total } : read;
}
