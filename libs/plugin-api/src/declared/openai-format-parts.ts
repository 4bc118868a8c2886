import { bearer, openAiChatCalls } from '../openai-format/chat-calls.js';
import { openAiEmbeddingCalls } from '../openai-format/embedding-calls.js';
import { openAiEndpointOf } from '../openai-format/endpoint-of-path.js';
import type { Provider } from '../provider.js';
import { withoutVersion } from '../wire/base-url.js';
import type { OpenAiDeclaration } from './provider-declaration.js';

export type FormatParts = Pick<Provider, 'defaultBaseUrl' | 'recognises' | 'endpoint' | 'chat' | 'embeddings'>;

/** A provider in the format of OpenAI. It recognises nothing by the path, which is also OpenAI's own. */
export function openAiFormatParts(declaration: OpenAiDeclaration): FormatParts {
  const { baseUrl, maxTokensMember = 'max_tokens' } = declaration;
  const headers = declaration.headers?.bind(declaration) ?? bearer;
  return {
    defaultBaseUrl: withoutVersion(baseUrl),
    recognises: () => 'no',
    endpoint: openAiEndpointOf,
    chat: openAiChatCalls({ baseUrl, maxTokensMember, headers }),
    embeddings: openAiEmbeddingCalls(baseUrl, headers),
  };
}
