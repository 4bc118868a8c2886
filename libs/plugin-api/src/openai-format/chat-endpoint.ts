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
  readRequest: readChatRequest,
  readAnswer: readChatAnswer,
  readStream: readChatStream,
};

/** True for a POST whose path ends in `/chat/completions`, whatever a deployment puts before. */
export const callsChatCompletions = (request: RequestHead): boolean =>
  request.method === 'POST' && /\/chat\/completions\/?$/.test(request.path);

function readChatRequest(body: unknown): RecordedRequest {
  const request = objectOf(body);
  return {
    model: textOf(request['model']),
    input: messagesOf(request['messages']),
    streaming: request['stream'] === true,
    parameters: without(request, 'model', 'messages'),
  };
}
