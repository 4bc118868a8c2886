import {
  listOf,
  filledText,
  firstText,
  isObject,
  objectOf,
  jsonText,
  type JsonObject,
  type MessagePart,
  type ToolCallPart,
} from './message.js';

type ImagePart = Extract<MessagePart, { type: 'image' | 'remote-image' }>;

/** Images that are shown (docs/spec/dashboard-trace.md#images-of-a-recording): formats that hold nothing but pixels. An SVG is a document and is not among them. */
const SHOWN = /^data:image\/(?:png|jpeg|jpg|gif|webp)(?:;[\w.=-]+)*;base64,[\w+/=\s-]+$/i;

const URL_LENGTH_MAX = 300;

/** An image by its address: shown when its bytes are in the address, named but never fetched otherwise. */
export function imageAt(url: string): ImagePart {
  if (SHOWN.test(url)) return { type: 'image', source: url };
  return { type: 'remote-image', url: url.length > URL_LENGTH_MAX ? `${url.slice(0, URL_LENGTH_MAX)}…` : url };
}

/** An image by its bytes in base64. @param mediaType looked up in the first bytes where nobody says. */
export function imageOf(mediaType: string | null, base64: string): ImagePart {
  if (/^(?:data|https?):/i.test(base64)) return imageAt(base64);
  return imageAt(`data:${mediaType ?? sniffed(base64)};base64,${base64}`);
}

/** First characters of base64 texts by format. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

const sniffed = (base64: string): string =>
  BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? 'application/octet-stream';

/**
 * The image that a part of a message is, in the forms of OpenAI (`image_url`, `input_image`), Anthropic and Bedrock
 * (`source`), the AI SDK (`image`, `file`), GenAI (`blob`, `uri`) and Gemini (`inline_data`); `null` for another part.
 */
export function readImagePart(part: JsonObject): ImagePart | null {
  const type = filledText(part['type']);
  switch (type) {
    case 'image_url':
    case 'input_image': {
      const url = firstText(part['image_url'], objectOf(part['image_url'])['url'], part['url']);
      return url === null ? null : imageAt(url);
    }
    case 'image':
      return fromSource(objectOf(part['source'])) ?? fromFile(part, ['image', 'data', 'url', 'content']);
    case 'file':
    case 'blob':
    case 'uri':
    case 'media':
      return isImage(part) ? fromFile(part, ['data', 'content', 'uri', 'url', 'file']) : null;
    default:
      return type === null ? fromInline(part) : null;
  }
}

function fromSource(source: JsonObject): ImagePart | null {
  const data = filledText(source['data']);
  if (data !== null) return imageOf(firstText(source['media_type'], source['mediaType']), data);
  const url = filledText(source['url']);
  return url === null ? null : imageAt(url);
}

function fromFile(part: JsonObject, members: readonly string[]): ImagePart | null {
  const held = firstText(...members.map((member) => part[member]));
  return held === null ? null : imageOf(mediaTypeOf(part), held);
}

function fromInline(part: JsonObject): ImagePart | null {
  const inline = part['inline_data'] ?? part['inlineData'];
  if (!isObject(inline)) return null;
  const data = filledText(inline['data']);
  const mediaType = mediaTypeOf(inline);
  return data === null || !mediaType?.startsWith('image/') ? null : imageOf(mediaType, data);
}

const mediaTypeOf = (part: JsonObject): string | null =>
  firstText(part['mediaType'], part['mimeType'], part['media_type'], part['mime_type']);

const isImage = (part: JsonObject): boolean =>
  part['modality'] === 'image' || mediaTypeOf(part)?.startsWith('image/') === true;

const CALLS: ReadonlySet<unknown> = new Set([
  ...['tool_call', 'tool-call', 'tool_use', 'server_tool_use', 'mcp_tool_use', 'function_call', 'custom_tool_call'],
]);

const RESULTS: ReadonlySet<unknown> = new Set([
  ...['tool_result', 'tool-result', 'tool_call_response', 'function_call_output', 'custom_tool_call_output'],
]);

/** The call of a tool that a part, or an item of the Responses API, is; `null` for another one. */
export const readToolCallPart = (part: JsonObject): ToolCallPart | null =>
  CALLS.has(part['type']) || isHostedCall(part) ? toolCallOf(part) : null;

/** Tools that a provider runs itself: `web_search_call` and others, which have no name but their type. */
const isHostedCall = ({ type }: JsonObject): boolean => typeof type === 'string' && /^\w+_call$/.test(type);

/** Calls of tools that stand beside a message's content: OpenAI's `tool_calls` and `function_call`, Ollama's, our own. */
export function readToolCalls(message: JsonObject): ToolCallPart[] {
  const older = message['function_call'];
  return [...listOf(message['tool_calls']), ...(isObject(older) ? [older] : [])].filter(isObject).map(toolCallOf);
}

function toolCallOf(call: JsonObject): ToolCallPart {
  const called = objectOf(call['function'] ?? call['custom']);
  return {
    type: 'tool-call',
    name: firstText(called['name'], call['name'], call['toolName'], call['type']) ?? 'unnamed',
    id: firstText(call['call_id'], call['id'], call['toolCallId']),
    arguments: argumentsText(
      called['arguments'] ?? called['input'] ?? call['arguments'] ?? call['input'] ?? call['args'] ?? call['action'],
    ),
  };
}

/** Arguments as JSON over several lines. Most providers send them as JSON text, which a model may have left unfinished. */
function argumentsText(value: unknown): string {
  if (typeof value !== 'string') return value === undefined ? '' : jsonText(value);
  try {
    return jsonText(readJson(value));
  } catch {
    return value;
  }
}

/** Reads JSON with every digit of its numbers, where the browser can. */
function readJson(text: string): unknown {
  if (typeof JSON.rawJSON !== 'function') return JSON.parse(text);
  return JSON.parse(
    text,
    function keepDigits(this: unknown, _key: string, value: unknown, context?: { source?: string }) {
      return typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value;
    },
  );
}

/** What a tool gave back, where a part is that; its content is in the form of a message's content. */
export function readToolResultPart(part: JsonObject): { id: string | null; content: unknown } | null {
  if (!RESULTS.has(part['type'])) return null;
  const { content, output, result, response } = part;
  return {
    id: firstText(part['tool_use_id'], part['tool_call_id'], part['toolCallId'], part['call_id'], part['id']),
    content: content ?? unwrapped(output) ?? result ?? response ?? null,
  };
}

/** The AI SDK wraps what a tool gave back: `{type: "text", value}`. */
const unwrapped = (output: unknown): unknown => (isObject(output) && 'value' in output ? output['value'] : output);

/** The text of a part that the model thought and did not say; `null` for another part. */
export function readReasoningPart(part: JsonObject): string | null {
  switch (part['type']) {
    case 'thinking':
    case 'reasoning':
      return firstText(part['thinking'], part['text'], part['reasoning'], part['content']) ?? summaryOf(part);
    case 'redacted_thinking':
      return 'The provider keeps this reasoning encrypted.';
    default:
      return null;
  }
}

/** Summaries of the Responses API: a list of parts with texts. */
function summaryOf(part: JsonObject): string | null {
  const texts = [...listOf(part['summary']), ...listOf(part['content'])].map((one) =>
    filledText(objectOf(one)['text']),
  );
  return filledText(texts.filter((text) => text !== null).join('\n\n'));
}
