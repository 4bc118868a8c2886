import { defineProvider, errorMessageOf, providerConfigSchema, type RequestHead } from '@spandrel/plugin-api';
import { ollamaChatCalls, ollamaEmbeddingCalls } from './chat-calls.js';
import { endpointOf, isOllamaPath } from './endpoints.js';

const OLLAMA_BASE_URL = 'http://localhost:11434';
const BASE_HEADER = 'x-ollama-base';

/** Ollama's own API under `/api`; its `/v1` is OpenAI's format. */
export default defineProvider({
  name: 'ollama',
  config: providerConfigSchema,
  setup(_deps, { base_url: baseUrl = OLLAMA_BASE_URL }) {
    return {
      defaultBaseUrl: baseUrl,
      hosts: ['ollama.com'],
      baseHeader: BASE_HEADER,
      recognises: (request) =>
        request.headers[BASE_HEADER] !== undefined || isOllamaPath(request.path) || isGreeting(request)
          ? 'certain'
          : 'no',
      endpoint: endpointOf,
      errorBody: (_status, message) => ({ error: message }),
      errorMessage: errorMessageOf,
      chat: ollamaChatCalls(baseUrl),
      embeddings: ollamaEmbeddingCalls(baseUrl),
    };
  },
});

/** Ollama's own command asks `/` first whether there is a server. */
const isGreeting = ({ method, path, headers }: RequestHead): boolean =>
  path === '/' && (method === 'HEAD' || method === 'GET') && headers['user-agent']?.startsWith('ollama/') === true;
