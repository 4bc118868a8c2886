import type {
  Provider,
  ChatCall,
  ChatCalls,
  ConnectionTarget,
  Endpoint,
  RequestHead,
  RecordedRequest,
  RecordedAnswer,
  StreamFrame,
  StreamReader,
} from '../provider.js';
import { declarationFaults, pricesFaults } from './declaration-schema.js';
import {
  viewOf,
  type DeclaredEndpoint,
  type ProviderDeclaration,
  type OpenAiDeclaration,
  type OwnFormatDeclaration,
  type DeclaredRequest,
  type DeclaredAnswer,
} from './provider-declaration.js';
import { openAiErrorBody, OPENAI_END_MARK } from '../openai-format/chat-endpoint.js';
import { errorMessageOf, embeddedErrorOf, errorOfFrame } from '../wire/error-message.js';
import { filledTextOf, objectOf, amountOf, countOf, listOf, textOf, readExactJson } from '../wire/lenient-json.js';
import { bearer, openAiChatCalls } from '../openai-format/chat-calls.js';
import { openAiEmbeddingCalls } from '../openai-format/embedding-calls.js';
import { openAiEndpointOf } from '../openai-format/endpoint-of-path.js';
import { withoutVersion, joinUrl } from '../wire/base-url.js';
import { contentTextOf, messagesOf, withSystemFirst } from '../wire/messages.js';
import { UNKNOWN_USAGE, USAGE_COUNTS, usageOf, type ToolCall, type Usage, laterUsage } from '../chat.js';

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

/** The endpoint that a declaration describes; what its readers return is taken leniently. */
function endpointOf(path: string, declared: DeclaredEndpoint): Endpoint {
  const streams = declared.readChunk !== undefined;
  return {
    name: declared.name ?? path.slice(1),
    framing: declared.framing ?? 'sse',
    readRequest(body) {
      const asked = streams && viewOf(body)['stream'] === (true as unknown);
      return requestOf(declared.readRequest(viewOf(body)), asked);
    },
    readAnswer: (body) => answerOf(declared.readAnswer(viewOf(body)), () => embeddedErrorOf(body)),
    readStream: () => new ChunkStream(declared),
  };
}

function requestOf({ model, input, streaming, parameters }: DeclaredRequest, asked: boolean): RecordedRequest {
  return {
    model: filledTextOf(model),
    input: typeof input === 'string' ? withSystemFirst(null, input) : messagesOf(input),
    streaming: typeof streaming === 'boolean' ? streaming : asked,
    parameters: { ...objectOf(parameters) },
  };
}

const NOTHING_ANSWERED: RecordedAnswer = Object.freeze({
  model: null,
  text: null,
  finishReason: null,
  toolCalls: [],
  usage: UNKNOWN_USAGE,
  error: null,
});

/**
 * What a reader returned of an answer, with everything that is not of its kind left out.
 * @param findError looks for an error where all providers put them; it is asked where the reader has read nothing.
 */
function answerOf(read: DeclaredAnswer, findError: () => string | null): RecordedAnswer {
  const toolCalls = toolCallsOf(read.toolCalls);
  const reasoning = filledTextOf(read.reasoning);
  const text = textOf(read.text) ?? (toolCalls.length > 0 ? '' : null);
  return {
    model: filledTextOf(read.model),
    text,
    finishReason: filledTextOf(read.finishReason),
    toolCalls,
    ...(reasoning !== null && { reasoning }),
    usage: readUsage(read.usage ?? {}),
    error: filledTextOf(read.error) ?? (text === null && reasoning === null ? findError() : null),
  };
}

const toolCallsOf = (calls: unknown): ToolCall[] =>
  listOf(calls)
    .map(objectOf)
    .flatMap(({ id, name, arguments: given }) =>
      filledTextOf(name) === null ? [] : [{ id: filledTextOf(id), name: name as string, arguments: given ?? null }],
    );

function readUsage(usage: NonNullable<DeclaredAnswer['usage']>): Usage {
  const counts = Object.keys(USAGE_COUNTS).map((name) => [name, countOf(usage[name as keyof Usage])]);
  return usageOf({
    ...(Object.fromEntries(counts) as Partial<Usage>),
    serviceTier: filledTextOf(usage.serviceTier),
    cost: amountOf(usage.cost),
  });
}

/** Puts together what a declared endpoint reads of the frames of a stream. `[DONE]` ends one, no matter who sends it. */
class ChunkStream implements StreamReader {
  started = false;
  ended = false;
  private read: RecordedAnswer = NOTHING_ANSWERED;
  private readonly toolCalls: ToolCall[] = [];

  constructor(private readonly endpoint: DeclaredEndpoint) {}

  push(frame: StreamFrame): void {
    const { event, data } = frame;
    this.ended ||= data.trim() === OPENAI_END_MARK;
    const parsed = readExactJson(data);
    const read = this.endpoint.readChunk?.(viewOf(parsed), event);
    if (read === undefined) return;
    const chunk = answerOf(read, () => errorOfFrame(frame, parsed));
    this.ended ||= read.ended === true;
    this.started ||= Boolean(chunk.text) || chunk.reasoning !== undefined || chunk.toolCalls.length > 0;
    const reasoning = (this.read.reasoning ?? '') + (chunk.reasoning ?? '');
    this.toolCalls.push(...chunk.toolCalls);
    this.read = {
      model: chunk.model ?? this.read.model,
      text: chunk.text === null ? this.read.text : (this.read.text ?? '') + chunk.text,
      finishReason: chunk.finishReason ?? this.read.finishReason,
      toolCalls: this.toolCalls,
      ...(reasoning !== '' && { reasoning }),
      usage: laterUsage(this.read.usage, chunk.usage),
      error: chunk.error ?? this.read.error,
    };
  }

  answer(): RecordedAnswer {
    return { ...this.read, toolCalls: [...this.read.toolCalls] };
  }
}
