import { bearer } from '../openai-format/chat-calls.js';
import type { ChatCall, ChatCalls, ConnectionTarget, Endpoint, RequestHead } from '../provider.js';
import { joinUrl } from '../wire/base-url.js';
import { filledTextOf } from '../wire/lenient-json.js';
import { contentTextOf } from '../wire/messages.js';
import { NOTHING_ANSWERED } from './answer-of.js';
import { viewOf, type DeclaredEndpoint } from './declared-endpoint.js';
import { endpointOf } from './endpoint-of.js';
import type { OwnFormatDeclaration } from './provider-declaration.js';
import type { FormatParts } from './openai-format-parts.js';

interface Recorded {
  path: string;
  declared: DeclaredEndpoint;
  endpoint: Endpoint;
}

/** A provider in a format of its own, by the endpoints that it declares. */
export function ownFormatParts(declaration: OwnFormatDeclaration): FormatParts {
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
