import type { ChatMessage, ToolCall, Usage } from './chat.js';
import type { PluginLogger } from './deps.js';
import type { ModelPrice } from './model-price.js';

/** What a provider plugin gets in `setup`. */
export interface ProviderDeps {
  logger: PluginLogger;
}

/** The head of a request to the gateway. Header names are lower case; a repeated header is joined with ", ". */
export interface RequestHead {
  method: string;
  /** Path without query, as the client sent it: `/v1/chat/completions`. */
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
}

/**
 * A model provider: how its requests are recognised, where they go, how requests and answers are read for the
 * recording, and how a chat call is built for evaluations. The gateway and the evaluations use the same object.
 *
 * All methods are pure and synchronous: no I/O, no state between calls. They are lenient: what a provider sends
 * beyond or short of what is expected never throws, unknown parts are left out. A method that throws nonetheless
 * costs that recording its details, never the call.
 */
export interface Provider {
  /** Base the path of a request is appended to, without `/v1`: `https://api.openai.com`. */
  readonly defaultBaseUrl: string | null;
  /** Hosts that are this provider's own (exact, lower case), to name the provider of a call sent by X-Forward-URL. */
  readonly hosts: readonly string[];
  /**
   * How surely this request speaks the provider's wire format: `certain` (a path or header only this provider has),
   * `likely` (a shape others imitate, such as `/v1/…`), or `no`. Certain beats likely; ties go to the order of config.
   */
  recognises(request: RequestHead): 'certain' | 'likely' | 'no';
  /**
   * A request header of the client's that names a target base under the rules of X-Forward-URL (Ollama's
   * `x-ollama-base`), lower case. The gateway takes the header off the forwarded request.
   */
  readonly baseHeader?: string;
  /**
   * The recorded endpoint this request calls, or `undefined` for one that passes unrecorded (models, files …). Decided
   * by the end of the path, so that it also holds behind X-Forward-URL and whatever prefix a deployment has.
   */
  endpoint(request: RequestHead): Endpoint | undefined;
  /** The body a client library of this provider expects for an error the gateway answers itself. */
  errorBody(status: number, message: string): unknown;
  /** The message of an error answer of the provider, from its parsed body; `undefined` when there is none to find. */
  errorMessage(body: unknown): string | undefined;
  /** Chat calls for evaluations. */
  readonly chat: ChatCalls;
  /** Vectors of texts, for search; absent where the provider has none. */
  readonly embeddings?: EmbeddingCalls;
  /**
   * Prices of its models by exact name. They go before the built-in price table, and config `pricing.models` goes before
   * them; where two plugins price one model, the first in the order of config counts.
   */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
}

/** One recorded endpoint of a provider, for example OpenAI chat completions. */
export interface Endpoint {
  /** Stable name, for metrics and where a call names no model: `chat.completions`, `responses`, `messages` … */
  readonly name: string;
  /** How a streamed answer is framed: server-sent events, or one JSON value a line. */
  readonly framing: 'sse' | 'ndjson';
  /**
   * Set where a streamed answer reports its tokens only when the request asks for them. `stream_options`: by OpenAI's member
   * `stream_options.include_usage`, whose answer has one chunk more, with usage and no choices. The gateway can ask.
   */
  readonly usageOption?: 'stream_options';
  /** Reads the parsed JSON body of a request. */
  readRequest(body: unknown): RecordedRequest;
  /** Reads the parsed JSON body of a whole (not streamed) answer. */
  readAnswer(body: unknown): RecordedAnswer;
  /** A reader for one streamed answer. */
  readStream(): StreamReader;
}

/** What a recording keeps of a request. */
export interface RecordedRequest {
  /** `null` when the request names none. */
  model: string | null;
  /** Messages with a system prompt first; for endpoints without messages the input as sent (embeddings, completions). */
  input: ChatMessage[] | unknown;
  /** Whether the client asked for a stream. Ollama streams unless asked not to. */
  streaming: boolean;
  /** The request's other members: temperature, tools, max_tokens … */
  parameters: Record<string, unknown>;
}

/** One of the answers that a model gave to a request. */
export interface RecordedChoice {
  /** Empty when it has only tool calls, `null` when there is no text to have. */
  text: string | null;
  /** The reason in the provider's own words: `stop`, `tool_calls`, `end_turn` … */
  finishReason: string | null;
  toolCalls: ToolCall[];
  /** The model's thoughts, where the provider shows them. */
  reasoning?: string | undefined;
}

/** What a recording keeps of an answer: its first choice, and what is of all of them. */
export interface RecordedAnswer extends RecordedChoice {
  /** The model that answered, when the answer says. */
  model: string | null;
  /** Whether that is another one than was asked for, which had declined: its prices count. */
  isFallback?: boolean | undefined;
  /** All choices in their order, where there are several. */
  choices?: RecordedChoice[] | undefined;
  usage: Usage;
  /** An error the provider reports inside a 200 answer (a stream that ends in an error event). */
  error: string | null;
}

/** One frame of a streamed answer: `event` is the SSE event name (absent for NDJSON), `data` the payload text. */
export interface StreamFrame {
  event?: string | undefined;
  data: string;
}

/** Reads one streamed answer frame by frame. Owned by one call, used once. */
export interface StreamReader {
  /** Takes the next frame; a frame that cannot be read is passed over. */
  push(frame: StreamFrame): void;
  /** True once text, reasoning or a tool call has begun to arrive: the first token. */
  readonly started: boolean;
  /** True once the end mark has come (`[DONE]`, `message_stop`, `done: true`): the client has the whole answer. */
  readonly ended: boolean;
  /** The answer as far as it has come; may be asked at any time. */
  answer(): RecordedAnswer;
}

/** How evaluations and tries call a model and list models. Requests are built here and sent by the caller. */
export interface ChatCalls {
  /** Whether {@link buildRequest} asks for an answer by `answerSchema` of a call; without it calls have none. */
  readonly takesSchema?: boolean;
  /**
   * The request for one chat call; the key goes into a header and nowhere else.
   * @param target the connection's endpoint and key.
   * @throws Error when the target names no base and the provider has no default (custom).
   */
  buildRequest(target: ConnectionTarget, call: ChatCall): HttpRequest;
  /** Reads the answer of {@link buildRequest}, parsed from JSON. */
  readAnswer(body: unknown): RecordedAnswer;
  /** Calls whose answer comes piece by piece; without it an answer comes whole. */
  readonly streamChat?: StreamedChat;
  /** The request that lists the models of a connection. */
  buildModelsRequest(target: ConnectionTarget): HttpRequest;
  /** Model ids from the answer of {@link buildModelsRequest}, which may be none; `null` when it is no list of models. */
  readModels(body: unknown): string[] | null;
}

/** How a chat call is made whose answer is streamed. */
export interface StreamedChat extends Pick<Endpoint, 'framing' | 'readStream'> {
  /** The request of {@link ChatCalls.buildRequest}, for a stream that ends with its usage. @throws as that does. */
  buildRequest(target: ConnectionTarget, call: ChatCall): HttpRequest;
}

/** How search and scorers have vectors made. Requests are built here and sent by the caller. */
export interface EmbeddingCalls {
  /** The request for the vectors of some texts, none of them empty; the key goes into a header and nowhere else. */
  buildRequest(target: ConnectionTarget, call: EmbeddingCall): HttpRequest;
  /** Vectors from the answer of {@link buildRequest}, in the order of its texts; `null` when it is no such answer. */
  readVectors(body: unknown): number[][] | null;
  /** What the answer of {@link buildRequest} says that it took; absent where the provider does not say. */
  readUsage?(body: unknown): Usage;
}

export interface EmbeddingCall {
  model: string;
  texts: readonly string[];
}

/** Where and with what key a connection is called. */
export interface ConnectionTarget {
  /** What the provider's own SDK takes: with `/v1` for openai and custom, without for anthropic and ollama. `null`: the default. */
  baseUrl: string | null;
  apiKey: string;
}

export interface ChatCall {
  model: string;
  messages: ChatMessage[];
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  /** The member that carries `maxTokens`, where a format knows both; absent: the provider's own. */
  maxTokensMember?: MaxTokensMember | undefined;
  /** The JSON that is to be answered, for providers that say {@link ChatCalls.takesSchema}. */
  answerSchema?: AnswerSchema | undefined;
  /** Tools that the model may call, defined as any API defines them; {@link functionToolOf} reads one. */
  tools?: readonly unknown[] | undefined;
  /** Other members of the request's body, in the provider's own names; what the members above say goes before them. */
  parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** What an answer is to be: a JSON object of this schema. Providers take objects whose members are all required, and no others. */
export interface AnswerSchema {
  /** 1 to 64 characters of A-Z, a-z, 0-9, `_` and `-`. */
  name: string;
  /** JSON Schema. */
  schema: Readonly<Record<string, unknown>>;
}

/** How the format of OpenAI limits an answer's length: newer models of OpenAI refuse `max_tokens`, other servers know nothing else. */
export type MaxTokensMember = 'max_tokens' | 'max_completion_tokens';

/** A request to send with `fetch`-like clients; `body` is a JSON value or absent. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: unknown;
}
