import type { Endpoint, RequestHead } from '../provider.js';
import { callsChatCompletions, chatCompletionsEndpoint, completionsEndpoint } from './chat-endpoint.js';
import { embeddingsEndpoint } from './embedding-calls.js';
import { realtimeEndpoint, responsesEndpoint } from './responses-endpoint.js';

/**
 * The recorded endpoint of OpenAI's API that a request calls, by the end of its path, so that a deployment's prefix
 * (`/openai/deployments/x/…`) does not matter.
 */
export function openAiEndpointOf(request: RequestHead): Endpoint | undefined {
  const { method, path, headers } = request;
  if (/\/realtime\/?$/.test(path)) return /^websocket$/i.test(headers['upgrade'] ?? '') ? realtimeEndpoint : undefined;
  if (method !== 'POST') return undefined;
  if (callsChatCompletions(request)) return chatCompletionsEndpoint;
  if (/\/responses(?:\/compact)?\/?$/.test(path)) return responsesEndpoint;
  if (/\/completions\/?$/.test(path)) return completionsEndpoint;
  // Ollama's own `/api/embeddings` has another format.
  if (/\/embeddings\/?$/.test(path) && path !== '/api/embeddings') return embeddingsEndpoint;
  return undefined;
}
