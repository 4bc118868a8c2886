import { filledText, firstText, isObject, listOf, objectOf, type JsonObject } from './lenient-values.js';

/** What a message is made of, in one form for all providers. Values are as they were recorded: anything may be in them. */
export type MessagePart =
  | { type: 'text'; text: string }
  /** What a model thought and did not say; `null` where the provider keeps it encrypted. */
  | { type: 'reasoning'; text: string | null }
  | ({ type: 'tool-call' } & ToolCall)
  | { type: 'tool-result'; id: string | null; parts: readonly MessagePart[] }
  /** An image by its address, which may hold its bytes (`data:`). */
  | { type: 'image'; url: string }
  /** Anything else. */
  | { type: 'other'; value: unknown };

export interface ToolCall {
  id: string | null;
  name: string;
  /** The value that was recorded: most providers send JSON text. `null` for none. */
  arguments: unknown;
}

/** What a tool gave back; its content is in the form of a message's content. */
export interface ToolResult {
  id: string | null;
  name: string | null;
  content: unknown;
}

/** Results within results are read so deep; deeper ones are values like others. */
const DEPTH_MAX = 8;

/** The parts of a message's content: a text, a part, or a list of both. */
export function readParts(content: unknown, depth = 0): MessagePart[] {
  if (content === null || content === undefined) return [];
  if (!Array.isArray(content)) return readPart(content, depth);
  return content.flatMap((part: unknown) => readPart(part, depth));
}

function readPart(part: unknown, depth: number): MessagePart[] {
  if (part === '') return [];
  if (typeof part === 'string') return [{ type: 'text', text: part }];
  if (!isObject(part) || depth > DEPTH_MAX) return [{ type: 'other', value: part }];
  const reasoning = readReasoning(part);
  if (reasoning !== undefined) return reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }];
  const text = textOfPart(part) ?? (part['type'] === 'refusal' ? filledText(part['refusal']) : null);
  if (text !== null) return text === '' ? [] : [{ type: 'text', text }];
  const result = readResult(part);
  if (result !== null) return [resultPart(result, depth)];
  const url = imageUrlOf(part);
  if (url !== null) return [{ type: 'image', url }];
  const call = readCall(part);
  return call === null ? [{ type: 'other', value: part }] : [call, ...resultsOfCall(part, call, depth)];
}

function resultPart({ id, content }: Pick<ToolResult, 'id' | 'content'>, depth: number): MessagePart {
  // The AI SDK wraps what a tool gave back: `{type: "text", value}`.
  const given = isObject(content) && 'value' in content ? content['value'] : content;
  return { type: 'tool-result', id, parts: readParts(given, depth + 1) };
}

/** What stands beside a call as its result: hosted calls of the Responses API, tool parts of the AI SDK's messages. */
function resultsOfCall(part: JsonObject, { id }: ToolCall, depth: number): MessagePart[] {
  const content = part['output'] ?? objectOf(part['toolInvocation'])['result'];
  return content === null || content === undefined ? [] : [resultPart({ id, content }, depth)];
}

/** The text of a part that is text alone, else `null`. */
export function textOfPart(part: unknown): string | null {
  if (typeof part === 'string') return part;
  const { type, text, content, thought } = objectOf(part);
  if ((type !== undefined && !TEXT_TYPES.has(type)) || thought === true) return null;
  if (typeof text === 'string') return text;
  return type === 'text' && typeof content === 'string' ? content : null;
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** Gemini and Bedrock have what a part is in a member of its own, and no type. */
function heldIn(part: JsonObject, members: readonly string[]): JsonObject | null {
  if (part['type'] !== undefined) return null;
  for (const member of members) {
    const held = part[member];
    if (isObject(held)) return held;
  }
  return null;
}

const CALLS: ReadonlySet<unknown> = new Set([
  ...['tool_call', 'tool-call', 'tool_use', 'function_call', 'custom_tool_call', 'toolUse', 'functionCall'],
]);
const CALL_MEMBERS = ['functionCall', 'function_call', 'toolUse'];

/** The call of a tool of the caller's own that a part, or an item of the Responses API, is; `null` for another one. */
export function readOwnCall(part: JsonObject): ToolCall | null {
  const call = CALLS.has(part['type']) ? part : heldIn(part, CALL_MEMBERS);
  return call === null ? null : toolCallOf(call);
}

/** A call in any form; `null` where it has no name. */
function toolCallOf(call: JsonObject): ToolCall | null {
  const called = objectOf(call['function'] ?? call['custom']);
  const name = firstText(called['name'], call['name'], call['toolName']);
  if (name === null) return null;
  return { id: idOfCall(call), name, arguments: argumentsOf(called) ?? argumentsOf(call) ?? null };
}

const idOfCall = (call: JsonObject): string | null =>
  firstText(call['call_id'], call['id'], call['toolCallId'], call['toolUseId']);

const argumentsOf = ({ arguments: given, input, args }: JsonObject): unknown => given ?? input ?? args;

/** Calls of tools that stand beside a message's content: `tool_calls`, OpenAI's older `function_call`, the AI SDK's. */
export function readCallsBeside(message: JsonObject): ({ type: 'tool-call' } & ToolCall)[] {
  const { tool_calls: calls, toolCalls, function_call: older } = message;
  return [...listOf(calls), ...listOf(toolCalls), older]
    .filter(isObject)
    .map((call) => ({ type: 'tool-call', ...(toolCallOf(call) ?? namedByType(call)) }));
}

/** Tools that a provider runs itself: those of Anthropic, and `web_search_call` and others of the Responses API. */
const HOSTED_CALL = /^(?:server_tool_use|mcp_tool_use|server_tool_call|\w+_call)$/;

/** The call of a tool that a part, or an item of the Responses API, is; `null` for another one. */
export function readCall(part: JsonObject): ({ type: 'tool-call' } & ToolCall) | null {
  const own = readOwnCall(part) ?? readToolPart(part);
  if (own !== null) return { type: 'tool-call', ...own };
  const { type } = part;
  if (typeof type !== 'string' || !(CALLS.has(type) || HOSTED_CALL.test(type))) return null;
  return { type: 'tool-call', ...(toolCallOf(part) ?? namedByType(part)) };
}

/** Hosted tools have no name but their type, and what they were asked in members of their own. */
function namedByType(call: JsonObject): ToolCall {
  const asked = Object.entries(call).filter(([name, value]) => !BESIDE.has(name) && (value ?? null) !== null);
  return {
    id: firstText(call['call_id'], call['id']),
    name: filledText(call['type']) ?? 'unnamed',
    arguments: asked.length > 1 ? Object.fromEntries(asked) : (asked[0]?.[1] ?? null),
  };
}

/** Members of a hosted call that are not what it was asked. */
const BESIDE: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'status', 'role', 'content', 'output']);

/** A tool of the AI SDK's messages for pages: `{type: "tool-NAME", toolCallId, input, output}`, before `{toolInvocation}`. */
function readToolPart(part: JsonObject): ToolCall | null {
  const { type, toolInvocation } = part;
  if (isObject(toolInvocation)) return toolCallOf(toolInvocation);
  if (typeof type !== 'string' || !type.startsWith('tool-') || typeof part['toolCallId'] !== 'string') return null;
  return { id: part['toolCallId'], name: type.slice('tool-'.length), arguments: part['input'] ?? null };
}

const RESULTS: ReadonlySet<unknown> = new Set([
  ...['tool_result', 'tool-result', 'tool_call_response', 'function_call_output', 'custom_tool_call_output'],
  ...['toolResult', 'functionResponse'],
]);
const RESULT_MEMBERS = ['functionResponse', 'function_response', 'toolResult'];

/** What a tool of the caller's own gave back, where a part, or an item of the Responses API, is that. */
export function readOwnResult(part: JsonObject): ToolResult | null {
  const result = RESULTS.has(part['type']) ? part : heldIn(part, RESULT_MEMBERS);
  return result === null ? null : toolResultOf(result);
}

const HOSTED_RESULT = /(?:_tool_result|_call_output|_tool_call_response)$/;

/** What a tool gave back, where a part, or an item of the Responses API, is that. */
export function readResult(part: JsonObject): ToolResult | null {
  const { type } = part;
  return readOwnResult(part) ?? (typeof type === 'string' && HOSTED_RESULT.test(type) ? toolResultOf(part) : null);
}

function toolResultOf(part: JsonObject): ToolResult {
  const { content, output, result, response } = part;
  const ids = ['tool_use_id', 'tool_call_id', 'toolCallId', 'toolUseId', 'call_id', 'id'];
  return {
    id: firstText(...ids.map((name) => part[name])),
    name: firstText(part['name'], part['toolName']),
    content: response ?? result ?? valueOfOutput(output) ?? content ?? null,
  };
}

/** The AI SDK wraps a result: `{type: 'json', value}`. One that reports an error keeps its type. */
function valueOfOutput(output: unknown): unknown {
  const { type, value } = objectOf(output);
  return type === 'text' || type === 'json' ? value : output;
}

/** The reasoning that a part is, in the forms of all providers; `null` where it is encrypted, `undefined` for another part. */
export function readReasoning(part: JsonObject): string | null | undefined {
  const { type, thought, reasoningContent } = part;
  if (type === 'redacted_thinking') return null;
  if (isObject(reasoningContent)) {
    const text = filledText(objectOf(reasoningContent['reasoningText'])['text']);
    return text ?? (reasoningContent['redactedContent'] === undefined ? undefined : null);
  }
  if (thought === true) return filledText(part['text']) ?? undefined;
  if (type !== 'thinking' && type !== 'reasoning') return undefined;
  const said = [part['thinking'], part['text'], part['reasoning'], part['content']];
  const text = firstText(...said) ?? summaryOf(part);
  if (text !== null) return text;
  if (filledText(part['encrypted_content']) !== null) return null;
  return said.includes('') ? '' : undefined;
}

function summaryOf(part: JsonObject): string | null {
  const texts = [...listOf(part['summary']), ...listOf(part['content'])].map((one) =>
    filledText(objectOf(one)['text']),
  );
  return filledText(texts.filter((text) => text !== null).join('\n\n'));
}

/** The address of the image that a part is, in the forms of all providers and SDKs; `null` for another part. */
export function imageUrlOf(part: JsonObject): string | null {
  const type = filledText(part['type']);
  switch (type) {
    case 'image_url':
    case 'input_image':
      return firstText(part['image_url'], objectOf(part['image_url'])['url'], part['url']);
    case 'image':
      return urlOfSource(objectOf(part['source'])) ?? urlOfFile(part, ['image', 'data', 'url', 'content']);
    case 'image_generation_call':
      return urlOfFile(part, ['result']);
    case 'file':
    case 'blob':
    case 'uri':
    case 'media':
      return isImage(part) ? urlOfFile(part, ['data', 'content', 'uri', 'url', 'file']) : null;
    default:
      return type === null ? urlOfHeld(part) : null;
  }
}

function urlOfSource(source: JsonObject): string | null {
  const data = filledText(source['data']);
  if (data !== null) return imageUrl(data, firstText(source['media_type'], source['mediaType']));
  return filledText(source['url']);
}

function urlOfFile(part: JsonObject, members: readonly string[]): string | null {
  const held = firstText(...members.map((member) => part[member]));
  return held === null ? null : imageUrl(held, mediaTypeOf(part));
}

function urlOfHeld(part: JsonObject): string | null {
  const file = heldIn(part, ['inline_data', 'inlineData', 'file_data', 'fileData']);
  if (file !== null) return isImage(file) ? urlOfFile(file, ['data', 'fileUri', 'file_uri']) : null;
  const { format, source } = objectOf(part['image']);
  const bytes = filledText(objectOf(source)['bytes']);
  return bytes === null ? null : imageUrl(bytes, typeof format === 'string' ? `image/${format}` : null);
}

const mediaTypeOf = (part: JsonObject): string | null =>
  firstText(part['mediaType'], part['mimeType'], part['media_type'], part['mime_type']);

const isImage = (part: JsonObject): boolean =>
  part['modality'] === 'image' || mediaTypeOf(part)?.startsWith('image/') === true;

/** The images beside a message's content: Ollama has a list of base64 texts. */
export function readImagesBeside({ images }: JsonObject): MessagePart[] {
  return listOf(images).flatMap((image): MessagePart[] => {
    const text = filledText(image) ?? firstText(objectOf(image)['url'], objectOf(objectOf(image)['image_url'])['url']);
    if (text === null) return [];
    return [{ type: 'image', url: BASE64.test(text.slice(0, 100)) ? imageUrl(text, null) : text }];
  });
}

const BASE64 = /^[\w+/=-]+$/;

/** @param held an address, or bytes in base64. @param mediaType looked up in the first bytes where nobody says. */
const imageUrl = (held: string, mediaType: string | null): string =>
  /^[a-z][\w+.-]*:/i.test(held.slice(0, 40)) ? held : `data:${mediaType ?? sniffed(held)};base64,${held}`;

/** First characters of base64 texts by format. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

const sniffed = (base64: string): string =>
  BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? 'application/octet-stream';
