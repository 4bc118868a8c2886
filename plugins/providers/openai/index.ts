import {
  callsChatCompletions,
  chatCompletionsEndpoint,
  defineProvider,
  errorMessageOf,
  openAiChatCalls,
  openAiEmbeddingCalls,
  openAiErrorBody,
  providerConfigSchema,
  type Endpoint,
  type RequestHead,
} from '@spandrel/plugin-api';
import { completionsEndpoint } from './completions-endpoint.js';
import { embeddingsEndpoint } from './embeddings-endpoint.js';
import { responsesEndpoint } from './responses-endpoint.js';

const OPENAI_BASE_URL = 'https://api.openai.com';

/** OpenAI: chat completions, Responses, completions and embeddings, also as Azure and others host them. */
export default defineProvider({
  name: 'openai',
  config: providerConfigSchema,
  setup(_deps, { base_url: baseUrl = OPENAI_BASE_URL }) {
    return {
      defaultBaseUrl: baseUrl,
      hosts: ['api.openai.com'],
      recognises: ({ path }) => (path === '/v1' || path.startsWith('/v1/') ? 'likely' : 'no'),
      endpoint: endpointOf,
      errorBody: openAiErrorBody,
      errorMessage: errorMessageOf,
      chat: openAiChatCalls({ baseUrl: `${baseUrl}/v1`, maxTokensMember: 'max_completion_tokens' }),
      embeddings: openAiEmbeddingCalls(`${baseUrl}/v1`),
    };
  },
});

/** By the end of the path, so that a deployment's prefix (`/openai/deployments/x/…`) does not matter. */
function endpointOf(request: RequestHead): Endpoint | undefined {
  const { method, path } = request;
  if (method !== 'POST') return undefined;
  if (callsChatCompletions(request)) return chatCompletionsEndpoint;
  if (/\/responses\/?$/.test(path)) return responsesEndpoint;
  if (/\/completions\/?$/.test(path)) return completionsEndpoint;
  // Ollama's own `/api/embeddings` has another format.
  if (/\/embeddings\/?$/.test(path) && path !== '/api/embeddings') return embeddingsEndpoint;
  return undefined;
}
