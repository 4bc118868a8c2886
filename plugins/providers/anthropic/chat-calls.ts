import {
  contentTextOf,
  joinUrl,
  modelIdsOf,
  objectOf,
  withoutVersion,
  type ChatCall,
  type ChatCalls,
  type ChatMessage,
  type ConnectionTarget,
} from '@spandrel/plugin-api';
import { toolsOf, turnsOf } from './chat-turns.js';
import { readMessage } from './message-answer.js';

const ANTHROPIC_VERSION = '2023-06-01';
/** `max_tokens` is required by the API; this is what a call without a limit of its own asks for. */
const MAX_TOKENS_DEFAULT = 4096;
/** One page holds all models; the API's own default is 20. */
const MODELS_LIMIT = 1000;

/** Chat calls of the Messages API. @param defaultBaseUrl without `/v1`. */
export function anthropicChatCalls(defaultBaseUrl: string): ChatCalls {
  const urlOf = ({ baseUrl }: ConnectionTarget, path: string) =>
    joinUrl(withoutVersion(baseUrl ?? defaultBaseUrl), `/v1${path}`);
  return {
    takesSchema: true,
    buildRequest: (target, call) => ({
      method: 'POST',
      url: urlOf(target, '/messages'),
      headers: { 'content-type': 'application/json', ...headersFor(target) },
      body: bodyOf(call),
    }),
    readAnswer: readMessage,
    buildModelsRequest: (target) => ({
      method: 'GET',
      url: `${urlOf(target, '/models')}?limit=${MODELS_LIMIT}`,
      headers: headersFor(target),
    }),
    readModels: (body) => modelIdsOf(objectOf(body)['data'], 'id'),
  };
}

const headersFor = ({ apiKey }: ConnectionTarget): Record<string, string> => ({
  'x-api-key': apiKey,
  'anthropic-version': ANTHROPIC_VERSION,
});

function bodyOf({ model, messages, temperature, maxTokens, answerSchema }: ChatCall): unknown {
  const system = messages.filter(isSystem).map(({ content }) => contentTextOf(content) ?? '');
  const turns = turnsOf(messages.filter((message) => !isSystem(message)));
  return {
    model,
    max_tokens: maxTokens ?? MAX_TOKENS_DEFAULT,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: turns,
    ...toolsOf(turns),
    ...(temperature !== undefined && { temperature }),
    ...(answerSchema && { output_config: { format: { type: 'json_schema', schema: answerSchema.schema } } }),
  };
}

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';
