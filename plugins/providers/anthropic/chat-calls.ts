import { imageUrlOf } from '@spandrel/contract';
import {
  contentTextOf,
  joinUrl,
  modelIdsOf,
  objectOf,
  withoutVersion,
  type ChatCall,
  type ChatCalls,
  type ChatMessage,
  type ConnectionTarget,
  filledTextOf,
  functionToolOf,
  type HttpRequest,
  listOf,
  plainTextOf,
  recordedToolCall,
  textOf,
  withCallIds,
} from '@spandrel/plugin-api';
import { MessageStream, readMessage } from './message-answer.js';

const ANTHROPIC_VERSION = '2023-06-01';
/** `max_tokens` is required by the API; this is what a call without a limit of its own asks for. */
const MAX_TOKENS_DEFAULT = 4096;
/** One page holds all models; the API's own default is 20. */
const MODELS_LIMIT = 1000;

/** Chat calls of the Messages API. @param defaultBaseUrl without `/v1`. */
export function anthropicChatCalls(defaultBaseUrl: string): ChatCalls {
  const urlOf = ({ baseUrl }: ConnectionTarget, path: string) =>
    joinUrl(withoutVersion(baseUrl ?? defaultBaseUrl), `/v1${path}`);
  const requestOf = (target: ConnectionTarget, call: ChatCall, streaming?: object): HttpRequest => ({
    method: 'POST',
    url: urlOf(target, '/messages'),
    headers: { 'content-type': 'application/json', ...headersFor(target) },
    body: { ...bodyOf(call), ...streaming },
  });
  return {
    takesSchema: true,
    buildRequest: (target, call) => requestOf(target, call),
    readAnswer: readMessage,
    streamChat: {
      framing: 'sse',
      buildRequest: (target, call) => requestOf(target, call, { stream: true }),
      readStream: () => new MessageStream(),
    },
    buildModelsRequest: (target) => ({
      method: 'GET',
      url: `${urlOf(target, '/models')}?limit=${MODELS_LIMIT}`,
      headers: headersFor(target),
    }),
    readModels: (body) => modelIdsOf(objectOf(body)['data'], 'id'),
  };
}

const headersFor = ({ apiKey }: ConnectionTarget): Record<string, string> => ({
  'x-api-key': apiKey,
  'anthropic-version': ANTHROPIC_VERSION,
});

function bodyOf({ model, messages, temperature, maxTokens, answerSchema, tools, parameters }: ChatCall): object {
  const system = messages.filter(isSystem).map(({ content }) => contentTextOf(content) ?? '');
  const turns = turnsOf(withCallIds(messages.filter((message) => !isSystem(message))));
  return {
    ...parameters,
    model,
    max_tokens: maxTokens ?? MAX_TOKENS_DEFAULT,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: turns,
    ...toolsOf(turns, tools ?? []),
    ...(temperature !== undefined && { temperature }),
    ...(answerSchema && { output_config: { format: { type: 'json_schema', schema: answerSchema.schema } } }),
  };
}

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

type Turn = Pick<ChatMessage, 'role' | 'content'>;

/**
 * Messages, recorded of whichever API, as Anthropic's: two roles, no members that it does not know, calls of tools and their
 * results as blocks, results that stand together in one turn. A call or a result without the other, which the API refuses,
 * is a text.
 */
function turnsOf(messages: readonly ChatMessage[]): Turn[] {
  const called = new Set(messages.flatMap(({ tool_calls: calls }) => listOf(calls).map((call) => callOf(call).id)));
  const answered = new Set(messages.map(resultIdOf).filter((id) => id !== null && called.has(id)));
  const turns: Turn[] = [];
  let results: object[] | undefined;
  for (const message of messages) {
    const id = resultIdOf(message);
    if (!answered.has(id)) {
      results = undefined;
      turns.push({ role: message.role === 'assistant' ? 'assistant' : 'user', content: contentOf(message, answered) });
      continue;
    }
    if (!results) turns.push({ role: 'user', content: (results = []) });
    results.push(resultBlock(id!, message));
  }
  return turns;
}

/** The tools that may be called; without any those that a request with such turns must define, not to be called again. */
function toolsOf(turns: readonly Turn[], given: readonly unknown[]): object {
  if (given.length > 0) return { tools: given.map(toolOf) };
  const blocks = turns.flatMap(({ content }) => listOf(content).map(objectOf));
  const names = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => name));
  if (names.size === 0) return {};
  return {
    tools: [...names].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

/** A tool as this API takes it; what is no function of the client's stays as it is. */
function toolOf(definition: unknown): unknown {
  const tool = functionToolOf(definition);
  if (tool === null || 'input_schema' in objectOf(definition)) return definition;
  const { schema: input_schema, ...named } = tool;
  return { ...named, input_schema };
}

/** Which call a message answers, `null` for one that is no result; Gemini's calls have no id, but the name of the tool. */
function resultIdOf({ role, tool_call_id: id, name }: ChatMessage): string | null {
  const isResult = filledTextOf(id) !== null || role === 'tool' || role === 'function';
  return isResult ? wordOf(filledTextOf(id) ?? name) : null;
}

function resultBlock(id: string, { content, is_error: isError }: ChatMessage): object {
  const isParts = Array.isArray(content) && content.every((part) => textOf(objectOf(part)['type']) !== null);
  const result = isParts ? content : plainTextOf(content ?? '');
  return { type: 'tool_result', tool_use_id: id, content: result, ...(isError === true && { is_error: true }) };
}

function contentOf({ content, tool_calls: calls }: ChatMessage, answered: ReadonlySet<string | null>): unknown {
  if (listOf(calls).length === 0) return Array.isArray(content) ? content.map(blockOf) : plainTextOf(content ?? '');
  const text = filledTextOf(content);
  return [
    ...(text === null ? listOf(content) : [{ type: 'text', text }]),
    ...listOf(calls).map((call) => {
      const { id, name, input } = callOf(call);
      return answered.has(id) ? { type: 'tool_use', id, name, input } : { type: 'text', text: plainTextOf(call) };
    }),
  ];
}

/** A text or an image of any API as this one has it; every other part as it is. */
function blockOf(part: unknown): unknown {
  const { type, text, source } = objectOf(part);
  if (typeof text === 'string' && (type === 'input_text' || type === 'output_text')) return { type: 'text', text };
  const url = type === 'image' && typeof source === 'object' ? null : imageUrlOf(objectOf(part));
  if (url === null) return part;
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  const held = { type: 'base64', media_type: mediaType, data };
  return { type: 'image', source: data === undefined ? { type: 'url', url } : held };
}

function callOf(call: unknown) {
  const { id, name, input } = recordedToolCall(call);
  return { id: wordOf(id ?? name), name: wordOf(name), input };
}

/** A name or an id in the characters that the API takes; `null` for none. */
const wordOf = (word: unknown): string | null =>
  filledTextOf(word)
    ?.replace(/[^\w-]/g, '_')
    .slice(0, 64) ?? null;
