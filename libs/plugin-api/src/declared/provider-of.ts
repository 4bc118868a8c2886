import type { Provider, ChatCall, ChatCalls, ConnectionTarget, Endpoint, RequestHead } from '../provider.js';
import { declarationFaults, pricesFaults } from './declaration-schema.js';
import {
  viewOf,
  type DeclaredEndpoint,
  type ProviderDeclaration,
  type OpenAiDeclaration,
  type OwnFormatDeclaration,
} from './provider-declaration.js';
import { openAiErrorBody } from '../openai-format/chat-endpoint.js';
import { errorMessageOf } from '../wire/error-message.js';
import { filledTextOf } from '../wire/lenient-json.js';
import { bearer, openAiChatCalls } from '../openai-format/chat-calls.js';
import { openAiEmbeddingCalls } from '../openai-format/embedding-calls.js';
import { openAiEndpointOf } from '../openai-format/endpoint-of-path.js';
import { withoutVersion, joinUrl } from '../wire/base-url.js';
import { contentTextOf } from '../wire/messages.js';
import { NOTHING_ANSWERED, endpointOf } from './endpoint-of.js';

/** What is wrong with a provider that a plugin gives; the message is one line for the plugin's author. */
export class DeclarationError extends Error {
  override readonly name = 'DeclarationError';
}

/** A declaration is checked and completed, any other provider is taken but for its prices. @throws DeclarationError */
export function providerOf(given: Provider | ProviderDeclaration): Provider {
  const declared = isDeclaration(given);
  const faults = declared ? declarationFaults(given) : pricesFaults(given.prices);
  if (faults.length > 0) throw new DeclarationError(faults.join('; '));
  return declared ? completeProvider(given) : given;
}

/** A whole provider may have a `baseUrl` of its own too, but it always has `endpoint`, which no declaration has. */
const isDeclaration = (given: Provider | ProviderDeclaration): given is ProviderDeclaration =>
  'baseUrl' in given && !('endpoint' in given);

function completeProvider(declaration: ProviderDeclaration): Provider {
  const parts = declaration.format === 'openai' ? openAiFormatParts(declaration) : ownFormatParts(declaration);
  return {
    ...parts,
    hosts: declaration.hosts ?? [new URL(declaration.baseUrl).hostname],
    recognises: declaration.recognises?.bind(declaration) ?? parts.recognises,
    errorBody: declaration.errorBody?.bind(declaration) ?? openAiErrorBody,
    // The gateway answers errors in the default form even where the provider's own are read from another place.
    errorMessage: (body) => filledTextOf(declaration.errorMessage?.(viewOf(body))) ?? errorMessageOf(body),
    ...(declaration.prices && { prices: declaration.prices }),
  };
}

type FormatParts = Pick<Provider, 'defaultBaseUrl' | 'recognises' | 'endpoint' | 'chat' | 'embeddings'>;

/** A provider in the format of OpenAI. It recognises nothing by the path, which is also OpenAI's own. */
function openAiFormatParts(declaration: OpenAiDeclaration): FormatParts {
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

interface Recorded {
  path: string;
  declared: DeclaredEndpoint;
  endpoint: Endpoint;
}

/** A provider in a format of its own, by the endpoints that it declares. */
function ownFormatParts(declaration: OwnFormatDeclaration): FormatParts {
  const { baseUrl, endpoints, models, embeddings } = declaration;
  const recorded = Object.entries(endpoints).map(([path, declared]): Recorded => {
    return { path, declared, endpoint: endpointOf(path, declared) };
  });
  return {
    defaultBaseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''),
    recognises: ({ method, path }) => {
      const own: readonly (string | undefined)[] =
        method === 'POST' ? recorded.map((each) => each.path) : [models?.path];
      return own.includes(withoutSlash(path)) ? 'certain' : 'no';
    },
    endpoint: (request) => recorded.find(({ path }) => isCallOf(path, request))?.endpoint,
    chat: chatCallsOf(declaration, recorded),
    ...(embeddings && { embeddings }),
  };
}

/** True for a POST whose path ends in the endpoint's, whatever a deployment puts before. */
const isCallOf = (endpointPath: string, { method, path }: RequestHead): boolean =>
  method === 'POST' && withoutSlash(path).endsWith(endpointPath);

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

function chatCallsOf(declaration: OwnFormatDeclaration, recorded: readonly Recorded[]): ChatCalls {
  const { baseUrl, models } = declaration;
  const called = recorded.find(({ declared }) => declared.writeRequest !== undefined);
  const headersOf = declaration.headers?.bind(declaration) ?? bearer;
  const urlOf = (target: ConnectionTarget, path: string): string => joinUrl(target.baseUrl ?? baseUrl, path);
  return {
    buildRequest(target, call) {
      if (called === undefined) throw new Error('none of its endpoints can be called: they have no writeRequest');
      return {
        method: 'POST',
        url: urlOf(target, called.path),
        headers: { 'content-type': 'application/json', ...headersOf(target.apiKey) },
        body: called.declared.writeRequest?.({ ...call, prompt: promptOf(call) }),
      };
    },
    readAnswer: (body) => called?.endpoint.readAnswer(body) ?? NOTHING_ANSWERED,
    buildModelsRequest(target) {
      if (models === undefined)
        throw new Error('it does not say how models are listed, so no connection can be tested');
      return { method: 'GET', url: urlOf(target, models.path), headers: headersOf(target.apiKey) };
    },
    readModels(body) {
      const names = models?.read(viewOf(body));
      return Array.isArray(names) ? names.filter((name) => filledTextOf(name) !== null) : null;
    },
  };
}

const promptOf = ({ messages }: ChatCall): string =>
  messages
    .map(({ content }) => contentTextOf(content))
    .filter(Boolean)
    .join('\n\n');
