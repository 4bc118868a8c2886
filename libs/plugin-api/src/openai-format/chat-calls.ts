import { imageUrlOf } from '@spandrel/contract';
import type { ChatCall, ChatCalls, ConnectionTarget, HttpRequest, MaxTokensMember } from '../provider.js';
import { joinUrl } from '../wire/base-url.js';
import type { ChatMessage } from '../chat.js';
import { objectOf, plainTextOf, without } from '../wire/lenient-json.js';
import { functionToolOf } from '../wire/function-tool.js';
import { modelIdsOf } from '../wire/messages.js';
import { recordedToolCall, withCallIds, withToolsBeside } from '../wire/tool-messages.js';
import { readChatAnswer, readChatStream } from './chat-endpoint.js';

export interface OpenAiChatSettings {
  /** Base for connections without one of their own, with `/v1`; `null`: every connection must name one. */
  baseUrl: string | null;
  /** The member that limits the answer of a call that names none. */
  maxTokensMember: MaxTokensMember;
  /** The headers that carry a key. Default: {@link bearer}. */
  headers?: (apiKey: string) => Record<string, string>;
}

/** Chat calls of a server that speaks OpenAI's chat completions. */
export function openAiChatCalls(settings: OpenAiChatSettings): ChatCalls {
  const { headers = bearer } = settings;
  const urlOf = (target: ConnectionTarget, path: string): string => {
    const base = target.baseUrl ?? settings.baseUrl;
    if (base === null) throw new Error('the connection names no base_url');
    return joinUrl(base, path);
  };
  const requestOf = (target: ConnectionTarget, call: ChatCall, streaming?: object): HttpRequest => ({
    method: 'POST',
    url: urlOf(target, '/chat/completions'),
    headers: { 'content-type': 'application/json', ...headers(target.apiKey) },
    body: {
      ...call.parameters,
      ...(call.tools && call.tools.length > 0 && { tools: call.tools.map(toOpenAiTool) }),
      model: call.model,
      messages: withCallIds(withToolsBeside(call.messages)).map(toOpenAiMessage),
      ...(call.temperature !== undefined && { temperature: call.temperature }),
      ...(call.maxTokens !== undefined && { [call.maxTokensMember ?? settings.maxTokensMember]: call.maxTokens }),
      ...(call.answerSchema && {
        response_format: { type: 'json_schema', json_schema: { ...call.answerSchema, strict: true } },
      }),
      ...streaming,
    },
  });
  return {
    takesSchema: true,
    buildRequest: (target, call) => requestOf(target, call),
    readAnswer: readChatAnswer,
    streamChat: {
      framing: 'sse',
      buildRequest: (target, call) => requestOf(target, call, STREAMED),
      readStream: readChatStream,
    },
    buildModelsRequest: (target) => ({ method: 'GET', url: urlOf(target, '/models'), headers: headers(target.apiKey) }),
    // Together answers with the bare list.
    readModels: (body) => modelIdsOf(Array.isArray(body) ? body : objectOf(body)['data'], 'id'),
  };
}

const STREAMED = { stream: true, stream_options: { include_usage: true } };

/** A tool as this API and Ollama take it; what is no function stays as it is. */
export function toOpenAiTool(definition: unknown): unknown {
  const tool = functionToolOf(definition);
  if (tool === null || typeof objectOf(definition)['function'] === 'object') return definition;
  const { schema: parameters, ...named } = tool;
  return { type: 'function', function: { ...named, parameters } };
}

/**
 * A message as this API takes it, whichever API it was recorded of: calls of tools as functions with their arguments as text, and
 * parts of the Responses API, images and parts without a type as its own.
 */
function toOpenAiMessage(message: ChatMessage): ChatMessage {
  const { role, content, tool_calls: calls, tool_call_id: callId, name } = message;
  const sent = {
    ...without(message, 'tool_name', ...(role === 'tool' ? ['is_error'] : [])),
    ...{ role, content: Array.isArray(content) ? content.map(partOf) : content },
    ...(Array.isArray(calls) && { tool_calls: calls.map(functionOf) }),
  };
  if (role !== 'tool') return sent;
  const result = typeof sent.content === 'string' || Array.isArray(content) ? sent.content : plainTextOf(content ?? '');
  return { ...sent, content: result, ...((callId ?? null) === null && { tool_call_id: name ?? '' }) };
}

function partOf(part: unknown): unknown {
  const { type, text } = objectOf(part);
  if (typeof text === 'string' && (type === undefined || type === 'input_text' || type === 'output_text')) {
    return { type: 'text', text };
  }
  const url = type === 'image_url' ? null : imageUrlOf(objectOf(part));
  return url === null ? part : { type: 'image_url', image_url: { url } };
}

function functionOf(call: unknown): unknown {
  const { type, function: called } = objectOf(call);
  const { id, name, input } = recordedToolCall(call);
  if (name === null || type === 'custom' || (type === 'function' && typeof objectOf(called)['arguments'] === 'string'))
    return call;
  const given = objectOf(called)['arguments'] ?? objectOf(call)['arguments'];
  const text = typeof given === 'string' ? given : JSON.stringify(input);
  return { id: id ?? name, type: 'function', function: { name, arguments: text } };
}

/** The header that carries a key; none for servers that want no key. */
export const bearer = (apiKey: string): Record<string, string> =>
  apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
