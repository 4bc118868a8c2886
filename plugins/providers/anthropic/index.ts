import {
  defineProvider,
  errorMessageOf,
  providerConfigSchema,
  type Endpoint,
  type RequestHead,
} from '@spandrel/plugin-api';
import { anthropicChatCalls } from './chat-calls.js';
import { anthropicErrorBody } from './error-body.js';
import { messagesEndpoint } from './messages-endpoint.js';

const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

/** Anthropic's Messages API. */
export default defineProvider({
  name: 'anthropic',
  config: providerConfigSchema,
  setup(_deps, { base_url: baseUrl = ANTHROPIC_BASE_URL }) {
    return {
      defaultBaseUrl: baseUrl,
      hosts: ['api.anthropic.com'],
      recognises: (request) =>
        hasVersionHeader(request) || /^\/v1\/messages(\/|$)/.test(request.path) ? 'certain' : 'no',
      endpoint: endpointOf,
      errorBody: anthropicErrorBody,
      errorMessage: errorMessageOf,
      chat: anthropicChatCalls(baseUrl),
    };
  },
});

/** `…/v1/messages`; without `/v1` only with Anthropic's header, since OpenAI threads have `…/messages` as well. */
function endpointOf(request: RequestHead): Endpoint | undefined {
  const { method, path } = request;
  const named = /\/v1\/messages\/?$/.test(path) || path === '/messages';
  const calls = named || (/\/messages\/?$/.test(path) && hasVersionHeader(request));
  return method === 'POST' && calls ? messagesEndpoint : undefined;
}

const hasVersionHeader = ({ headers }: RequestHead): boolean => headers['anthropic-version'] !== undefined;
