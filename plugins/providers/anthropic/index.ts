import {
  defineProvider,
  errorMessageOf,
  providerConfigSchema,
  type Endpoint,
  type RequestHead,
} from '@spandrel/plugin-api';
import { anthropicChatCalls } from './chat-calls.js';
import { messagesEndpoint } from './message-answer.js';

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

/**
 * A path of Vertex AI, which names the model and calls a version without a date `@default`. Tokens are counted under a name that is no
 * model's.
 */
const VERTEX =
  /\/publishers\/anthropic\/models\/(?!count-tokens:)([^/:]+?)(?:@default)?:(?:rawPredict|streamRawPredict)$/;

/** `…/v1/messages`; without `/v1` only with Anthropic's header, since OpenAI threads have `…/messages` as well. */
function endpointOf(request: RequestHead): Endpoint | undefined {
  const { method, path } = request;
  const named = /\/v1\/messages\/?$/.test(path) || path === '/messages';
  const calls = named || (/\/messages\/?$/.test(path) && hasVersionHeader(request));
  const model = VERTEX.exec(path)?.[1];
  if (method === 'POST' && model !== undefined) {
    return { ...messagesEndpoint, readRequest: (body) => ({ ...messagesEndpoint.readRequest(body), model }) };
  }
  return method === 'POST' && calls ? messagesEndpoint : undefined;
}

const hasVersionHeader = ({ headers }: RequestHead): boolean => headers['anthropic-version'] !== undefined;

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** The error body that Anthropic's client libraries read. */
export function anthropicErrorBody(status: number, message: string): unknown {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: null };
}
