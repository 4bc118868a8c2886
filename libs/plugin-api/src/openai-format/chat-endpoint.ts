import type { Endpoint, RecordedRequest, RequestHead } from '../provider.js';
import { objectOf, textOf, without } from '../wire/lenient-json.js';
import { messagesOf } from '../wire/messages.js';
import { readChatAnswer } from './chat-answer.js';
import { readChatStream } from './chat-stream.js';

/** OpenAI chat completions, as OpenAI itself and many other servers speak it. */
export const chatCompletionsEndpoint: Endpoint = {
  name: 'chat.completions',
  framing: 'sse',
  usageOption: 'stream_options',
  readRequest: (body) => readRequest(body, 'messages', messagesOf),
  readAnswer: readChatAnswer,
  readStream: readChatStream,
};

/** The older completions endpoint; its prompt is recorded as sent. */
export const completionsEndpoint: Endpoint = {
  ...chatCompletionsEndpoint,
  name: 'completions',
  readRequest: (body) => readRequest(body, 'prompt', (prompt) => prompt ?? null),
};

/** True for a POST whose path ends in `/chat/completions`, whatever a deployment puts before. */
export const callsChatCompletions = (request: RequestHead): boolean =>
  request.method === 'POST' && /\/chat\/completions\/?$/.test(request.path);

function readRequest(body: unknown, member: string, inputOf: (given: unknown) => unknown): RecordedRequest {
  const request = objectOf(body);
  return {
    model: textOf(request['model']),
    input: inputOf(request[member]),
    streaming: request['stream'] === true,
    parameters: without(request, 'model', member),
  };
}
