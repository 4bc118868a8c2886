import {
  defineProvider,
  errorMessageOf,
  openAiChatCalls,
  openAiEmbeddingCalls,
  openAiEndpointOf,
  openAiErrorBody,
  providerConfigSchema,
} from '@spandrel/plugin-api';

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
      endpoint: openAiEndpointOf,
      errorBody: openAiErrorBody,
      errorMessage: errorMessageOf,
      chat: openAiChatCalls({ baseUrl: `${baseUrl}/v1`, maxTokensMember: 'max_completion_tokens' }),
      embeddings: openAiEmbeddingCalls(`${baseUrl}/v1`),
    };
  },
});
