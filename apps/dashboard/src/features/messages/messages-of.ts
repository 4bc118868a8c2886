import {
  readToolCalls,
  imageAt,
  imageOf,
  readImagePart,
  readReasoningPart,
  readToolCallPart,
  readToolResultPart,
} from './message-parts.js';
import {
  filledText,
  firstText,
  isObject,
  jsonText,
  listOf,
  objectOf,
  type JsonObject,
  type Message,
  type MessagePart,
} from './message.js';

/**
 * The conversation of a call (docs/spec/dashboard-trace.md#messages-of-a-call): the messages of its input, then its answer. It reads what the gateway records and what
 * instrumentations send, leaves out nothing, and shows what it does not understand as JSON.
 * @param input a list of messages, an object with `messages`, a prompt; `null` or `undefined` for none.
 * @param output an answer as `{text, tool_calls}`, a message, a list of messages, a completion of OpenAI, a text.
 */
export function messagesOf(input: unknown, output: unknown): Message[] {
  return [...readMessages(input, 'user', false), ...readMessages(output, 'assistant', true)];
}

function readMessages(value: unknown, role: string, isAnswer: boolean): Message[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return readList(value, role, isAnswer);
  if (!isObject(value)) return [{ role, name: null, parts: partsOf(value), isAnswer }];
  const nested = value['messages'] ?? choicesOf(value);
  if (Array.isArray(nested)) return readList(nested, role, isAnswer);
  if (isMessage(value)) return [readMessage(value, role, isAnswer)];
  if (isAnswer && ('text' in value || 'tool_calls' in value)) return [readAnswer(value)];
  return [{ role, name: null, parts: partsOf([value]), isAnswer }];
}

/** Messages of a completion in OpenAI's format. */
function choicesOf({ choices }: JsonObject): unknown {
  const messages = listOf(choices).map((choice) => objectOf(choice)['message']);
  return messages.length > 0 && messages.every(isObject) ? messages : undefined;
}

const isMessage = (value: unknown): value is JsonObject => isObject(value) && typeof value['role'] === 'string';

/** A list is one of messages, or of the parts of one. */
function readList(list: readonly unknown[], role: string, isAnswer: boolean): Message[] {
  if (list.length === 0) return [];
  if (!list.some(isMessage)) return [{ role, name: null, parts: partsOf(list), isAnswer }];
  return list.map((item) =>
    isMessage(item) ? readMessage(item, role, isAnswer) : { role, name: null, parts: partsOf([item]), isAnswer },
  );
}

function readMessage(message: JsonObject, role: string, isAnswer: boolean): Message {
  const content = message['content'] ?? message['parts'];
  // Items of the Responses API that are no messages have a role beside their own members.
  const item = readToolCallPart(message) ?? reasoningPart(message);
  return {
    role: filledText(message['role']) ?? role,
    name: firstText(message['name'], message['tool_name']),
    parts: [
      ...thoughts(message),
      ...partsOf(content),
      ...(item === null ? [] : [item]),
      ...images(message),
      ...readToolCalls(message),
      ...refusal(message),
    ],
    isAnswer,
  };
}

/** The gateway's form of an answer: `{text, finish_reason, tool_calls}`. */
function readAnswer(answer: JsonObject): Message {
  const parts = [...thoughts(answer), ...partsOf(answer['text']), ...readToolCalls(answer)];
  return { role: 'assistant', name: null, parts, isAnswer: true };
}

/** What a model thought, where it stands beside the content: DeepSeek, OpenRouter, Ollama. */
function thoughts(message: JsonObject): MessagePart[] {
  if (readReasoningPart(message) !== null) return [];
  const text = firstText(message['reasoning_content'], message['reasoning'], message['thinking']);
  return text === null ? [] : [{ type: 'reasoning', text }];
}

function reasoningPart(part: JsonObject): MessagePart | null {
  const text = readReasoningPart(part);
  return text === null ? null : { type: 'reasoning', text };
}

/** Images beside the content: Ollama has a list of base64 texts. */
const images = ({ images: list }: JsonObject): MessagePart[] =>
  listOf(list).flatMap((image) => {
    const text = filledText(image) ?? firstText(objectOf(image)['url'], objectOf(objectOf(image)['image_url'])['url']);
    if (text === null) return [];
    return [/^[\w+/=-]+$/.test(text.slice(0, 100)) ? imageOf(null, text) : imageAt(text)];
  });

function refusal({ refusal: text }: JsonObject): MessagePart[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [];
}

function partsOf(content: unknown): MessagePart[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [isObject(content) ? partOf(content) : { type: 'json', json: jsonText(content) }];
  return content.flatMap((part) => {
    if (part === '') return [];
    if (typeof part === 'string') return [{ type: 'text', text: part } as const];
    return [isObject(part) ? partOf(part) : ({ type: 'json', json: jsonText(part) } as const)];
  });
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text', 'refusal', undefined]);

function partOf(part: JsonObject): MessagePart {
  const text = firstText(part['text'], part['refusal'], part['type'] === 'text' ? part['content'] : null);
  if (text !== null && TEXT_TYPES.has(part['type'])) return { type: 'text', text };
  const result = readToolResultPart(part);
  if (result !== null) return { type: 'tool-result', id: result.id, parts: partsOf(result.content) };
  const call = readToolCallPart(part);
  return call ?? reasoningPart(part) ?? readImagePart(part) ?? { type: 'json', json: jsonText(part) };
}
