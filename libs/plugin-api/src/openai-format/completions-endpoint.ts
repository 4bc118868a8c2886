import type { Endpoint } from '../provider.js';
import { objectOf, textOf, without } from '../wire/lenient-json.js';
import { readChatAnswer } from './chat-answer.js';
import { readChatStream } from './chat-stream.js';

/** The older completions endpoint; its prompt is recorded as sent. */
export const completionsEndpoint: Endpoint = {
  name: 'completions',
  framing: 'sse',
  usageOption: 'stream_options',
  readRequest(body) {
    const request = objectOf(body);
    return {
      model: textOf(request['model']),
      input: request['prompt'] ?? null,
      streaming: request['stream'] === true,
      parameters: without(request, 'model', 'prompt'),
    };
  },
  readAnswer: readChatAnswer,
  readStream: readChatStream,
};
