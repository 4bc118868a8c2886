import {
  messagesOf,
  objectOf,
  textOf,
  withSystemFirst,
  without,
  type Endpoint,
  type RecordedRequest,
} from '@spandrel/plugin-api';
import { readMessage } from './message-answer.js';
import { MessageStream } from './message-stream.js';

/** `POST /v1/messages`; `system` (a text or blocks) is recorded as the first message. */
export const messagesEndpoint: Endpoint = {
  name: 'messages',
  framing: 'sse',
  readRequest,
  readAnswer: readMessage,
  readStream: () => new MessageStream(),
};

function readRequest(body: unknown): RecordedRequest {
  const request = objectOf(body);
  return {
    model: textOf(request['model']),
    input: withSystemFirst(request['system'], messagesOf(request['messages'])),
    streaming: request['stream'] === true,
    parameters: without(request, 'model', 'messages', 'system'),
  };
}
