import {
  callsChatCompletions,
  chatCompletionsEndpoint,
  defineProvider,
  errorMessageOf,
  geminiEndpointOf,
  openAiChatCalls,
  openAiEmbeddingCalls,
  openAiErrorBody,
  providerConfigSchema,
} from '@spandrel/plugin-api';

/**
 * Any server that speaks OpenAI's chat completions, or Gemini's own API. It recognises nothing by itself: a call is named `custom` when
 * X-Forward-URL leads to a host that no provider claims as its own.
 */
export default defineProvider({
  name: 'custom',
  config: (z) =>
    providerConfigSchema.extend({ max_tokens_member: z.enum(['max_tokens', 'max_completion_tokens']).optional() }),
  setup(_deps, { base_url: baseUrl, max_tokens_member: maxTokensMember = 'max_tokens' }) {
    return {
      defaultBaseUrl: baseUrl ?? null,
      hosts: [],
      recognises: () => 'no',
      endpoint: (request) => (callsChatCompletions(request) ? chatCompletionsEndpoint : geminiEndpointOf(request)),
      errorBody: openAiErrorBody,
      errorMessage: errorMessageOf,
      chat: openAiChatCalls({ baseUrl: baseUrl === undefined ? null : `${baseUrl}/v1`, maxTokensMember }),
      embeddings: openAiEmbeddingCalls(baseUrl === undefined ? null : `${baseUrl}/v1`),
    };
  },
});
