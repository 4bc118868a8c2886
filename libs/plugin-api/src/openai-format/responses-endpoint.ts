import type { ChatMessage } from '../chat.js';
import type { Endpoint, RecordedRequest } from '../provider.js';
import { objectOf, textOf, without } from '../wire/lenient-json.js';
import { withSystemFirst } from '../wire/messages.js';
import { readResponse } from './responses-answer.js';
import { ResponsesStream } from './responses-stream.js';

/** The Responses API. `instructions` is the system prompt, `input` a text or a list of items. */
export const responsesEndpoint: Endpoint = {
  name: 'responses',
  framing: 'sse',
  readRequest,
  readAnswer: readResponse,
  readStream: () => new ResponsesStream(),
};

function readRequest(body: unknown): RecordedRequest {
  const request = objectOf(body);
  const input = request['input'];
  return {
    model: textOf(request['model']),
    input: withSystemFirst(request['instructions'], Array.isArray(input) ? input.map(messageOf) : input),
    streaming: request['stream'] === true,
    parameters: without(request, 'model', 'input', 'instructions'),
  };
}

/** An input item as a message: items that are not messages keep their members and get the role of their sender. */
function messageOf(value: unknown): ChatMessage {
  const item = objectOf(value);
  const type = textOf(item['type']) ?? 'message';
  if (type === 'message') {
    return { ...without(item, 'type'), role: textOf(item['role']) ?? 'user', content: item['content'] ?? null };
  }
  if (type.endsWith('_output')) {
    return { ...without(item, 'output'), role: 'tool', content: item['output'] ?? null };
  }
  return { ...item, role: 'assistant', content: item['content'] ?? null };
}
