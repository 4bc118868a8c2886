import { imageUrlOf } from '@spandrel/contract';
import {
  bearer,
  contentTextOf,
  joinUrl,
  listOf,
  toOpenAiTool,
  modelIdsOf,
  objectOf,
  withoutVersion,
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
    messages: messages.map(toOllamaMessage),
    stream,
    ...(tools.length > 0 && { tools: tools.map(toOpenAiTool) }),
    ...(answerSchema && { format: answerSchema.schema }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

/** Ollama takes text only; images are a member of their own. */
function toOllamaMessage(message: ChatMessage): ChatMessage {
  const images = listOf(message.content).flatMap(
    (part) => /^data:[^,]*;base64,(.*)$/s.exec(imageUrlOf(objectOf(part)) ?? '')?.[1] ?? [],
  );
  return { ...message, content: contentTextOf(message.content) ?? '', ...(images.length > 0 && { images }) };
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
