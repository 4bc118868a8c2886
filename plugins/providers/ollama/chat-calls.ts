import { imageUrlOf } from '@spandrel/contract';
import {
  bearer,
  contentTextOf,
  filledTextOf,
  joinUrl,
  listOf,
  toOpenAiTool,
  modelIdsOf,
  objectOf,
  recordedToolCall,
  withoutVersion,
  withToolsBeside,
  vectorsOf,
  type ChatCall,
  type ChatCalls,
  type ChatMessage,
  type ConnectionTarget,
  type EmbeddingCalls,
  type HttpRequest,
} from '@spandrel/plugin-api';
import { OllamaStream, readOllamaAnswer } from './endpoints.js';

/** Chat calls of `/api/chat`. A key is sent only where there is one (Ollama's cloud, a server behind a proxy). */
export function ollamaChatCalls(defaultBaseUrl: string): ChatCalls {
  const urlOf = ({ baseUrl }: ConnectionTarget, path: string) =>
    joinUrl(withoutVersion(baseUrl ?? defaultBaseUrl), path);
  const requestOf = (target: ConnectionTarget, call: ChatCall, stream: boolean): HttpRequest => ({
    method: 'POST',
    url: urlOf(target, '/api/chat'),
    headers: { 'content-type': 'application/json', ...bearer(target.apiKey) },
    body: bodyOf(call, stream),
  });
  return {
    takesSchema: true,
    buildRequest: (target, call) => requestOf(target, call, false),
    readAnswer: readOllamaAnswer,
    streamChat: {
      framing: 'ndjson',
      buildRequest: (target, call) => requestOf(target, call, true),
      readStream: () => new OllamaStream(),
    },
    buildModelsRequest: (target) => ({
      method: 'GET',
      url: urlOf(target, '/api/tags'),
      headers: bearer(target.apiKey),
    }),
    readModels: (body) => modelIdsOf(objectOf(body)['models'], 'model', 'name'),
  };
}

function bodyOf(call: ChatCall, stream: boolean): unknown {
  const { model, messages, temperature, maxTokens, answerSchema, tools = [], parameters } = call;
  const options = {
    ...objectOf(parameters?.['options']),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { num_predict: maxTokens }),
  };
  return {
    ...parameters,
    model,
    messages: toOllamaMessages(messages),
    stream,
    ...(tools.length > 0 && { tools: tools.map(toOpenAiTool) }),
    ...(answerSchema && { format: answerSchema.schema }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

/**
 * Messages of any API as Ollama takes them: text only, images are a member of their own; calls of tools have an object of arguments,
 * results the name of their tool.
 */
function toOllamaMessages(given: readonly ChatMessage[]): ChatMessage[] {
  const tools = new Map<unknown, string>();
  return withToolsBeside(given).map((message) => {
    const { content, tool_calls: calls, tool_call_id: callId, name } = message;
    const images = listOf(content).flatMap(
      (part) => /^data:[^,]*;base64,(.*)$/s.exec(imageUrlOf(objectOf(part)) ?? '')?.[1] ?? [],
    );
    for (const { id, name: called } of listOf(calls).map(recordedToolCall)) if (id && called) tools.set(id, called);
    const tool = filledTextOf(message['tool_name'] ?? name) ?? tools.get(callId);
    return {
      ...message,
      content: contentTextOf(content) ?? '',
      ...(images.length > 0 && { images }),
      ...(Array.isArray(calls) && { tool_calls: calls.map(callOf) }),
      ...(message.role === 'tool' && tool !== undefined && { tool_name: tool }),
    };
  });
}

function callOf(call: unknown): unknown {
  const { id, name, input } = recordedToolCall(call);
  return { ...(id !== null && { id }), function: { ...objectOf(objectOf(call)['function']), name, arguments: input } };
}

/** Embeddings by `/api/embed`. */
export const ollamaEmbeddingCalls = (defaultBaseUrl: string): EmbeddingCalls => ({
  buildRequest: (target, { model, texts }) => ({
    method: 'POST',
    url: joinUrl(withoutVersion(target.baseUrl ?? defaultBaseUrl), '/api/embed'),
    headers: { 'content-type': 'application/json', ...bearer(target.apiKey) },
    body: { model, input: texts },
  }),
  readVectors(body) {
    const { embeddings } = objectOf(body);
    return Array.isArray(embeddings) ? vectorsOf(embeddings) : null;
  },
  readUsage: (body) => readOllamaAnswer(body).usage,
});
