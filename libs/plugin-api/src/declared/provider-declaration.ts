import type { ModelPrice } from '../model-price.js';
import type { EmbeddingCalls, Provider, ChatCall, Endpoint } from '../provider.js';
import type { Usage } from '../chat.js';

/**
 * A provider in short. Everything left out has a default. Either `format` names a format that Spandrel reads, or
 * `endpoints` says how the provider's own is read.
 */
export type ProviderDeclaration = OpenAiDeclaration | OwnFormatDeclaration;

interface Declaration {
  /**
   * Where the API is, without a slash at the end. With `format: 'openai'` what an OpenAI client takes, `/v1` included where
   * the API has it; else what the paths of `endpoints` are appended to.
   */
  readonly baseUrl: string;
  /** Hosts that are this provider's own, lower case. Default: the host of `baseUrl`. */
  readonly hosts?: readonly string[];
  /**
   * Headers of the calls that Spandrel makes itself (evaluations, search, tests of a connection), which must carry the
   * connection's key; what passes through the gateway keeps its own. Default: `Authorization: Bearer <key>`.
   */
  headers?(apiKey: string): Record<string, string>;
  /** Prices of its models by exact name; see {@link Provider.prices}. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /**
   * Which requests are this provider's when they do not name their target; see {@link Provider.recognises}. Default:
   * `certain` for the exact paths of `endpoints` and `models`, `no` for everything in a format that others speak too.
   */
  recognises?: Provider['recognises'];
  /** The body of an error the gateway answers itself. Default: that of OpenAI. */
  errorBody?: Provider['errorBody'];
  /** The message in an error answer, where it is none of the usual places (docs/spec/recording.md#errors). */
  errorMessage?(body: JsonView): unknown;
}

/** A provider in the format of OpenAI; it is read as OpenAI's own API is: streams, tool calls, embeddings, list of models. */
export interface OpenAiDeclaration extends Declaration {
  readonly format: 'openai';
  /** The member that limits an answer's length. Default: `max_tokens`. */
  readonly maxTokensMember?: 'max_tokens' | 'max_completion_tokens';
}

/** A provider in a format of its own. */
export interface OwnFormatDeclaration extends Declaration {
  readonly format?: never;
  /** What is recorded, by path from the root of `baseUrl`; evaluations call the first that has `writeRequest`. */
  readonly endpoints: Readonly<Record<`/${string}`, DeclaredEndpoint>>;
  /** How models are listed, which is how a connection is tested. Absent: they cannot be. */
  readonly models?: DeclaredModels;
  /** Vectors of texts, for search. Absent: it has none. */
  readonly embeddings?: EmbeddingCalls;
}

/**
 * A recorded endpoint of a declared provider: `POST` to a path. A body that is no object or list reads as an empty
 * object.
 */
export interface DeclaredEndpoint {
  /** Reads the body of a request. */
  readRequest(body: JsonView): DeclaredRequest;
  /** Reads the body of a whole answer. */
  readAnswer(body: JsonView): DeclaredAnswer;
  /**
   * Reads one frame of a streamed answer: the texts of all are joined, their tool calls follow each other, and of everything
   * else the last that is reported counts. Absent: answers do not stream.
   * @param event name of the server-sent event, where it has one.
   */
  readChunk?(chunk: JsonView, event?: string): DeclaredChunk;
  /** The body that asks for an answer, not streamed. Absent: evaluations cannot call this endpoint. */
  writeRequest?(call: DeclaredCall): unknown;
  /** Default: the path without its first slash. */
  readonly name?: string;
  /** How a streamed answer is framed. Default: server-sent events. */
  readonly framing?: Endpoint['framing'];
}

/** How the models of a declared provider are listed: `GET` of a path. */
export interface DeclaredModels {
  readonly path: `/${string}`;
  /** The names of the models, from the parsed answer. */
  read(body: JsonView): unknown;
}

/** What is read of a request. Each member may be anything; what is not of its kind counts as not sent. */
export interface DeclaredRequest {
  /** A text. */
  model?: unknown;
  /** The messages (`{role, content}`), or a text, which becomes the user's message; any other JSON is kept as it is. */
  input?: unknown;
  /** Whether the client asked for a stream. Default: `stream: true` in the body, where the endpoint streams. */
  streaming?: unknown;
  /** Other members worth keeping: temperature … */
  parameters?: unknown;
}

/** What is read of an answer. Each member may be anything; what is not of its kind counts as not sent. */
export interface DeclaredAnswer {
  /** The model that answered, a text. */
  model?: unknown;
  text?: unknown;
  finishReason?: unknown;
  /** A list of `{id?, name, arguments}`. */
  toolCalls?: unknown;
  /** The model's thoughts. */
  reasoning?: unknown;
  /** Counts: whole numbers from 0, or texts of them; all input tokens with cached ones, all output tokens with reasoning. */
  usage?: { [Member in keyof Usage]?: unknown };
  /** The message of an error that came with status 200. */
  error?: unknown;
}

/** What is read of one frame of a stream. */
export interface DeclaredChunk extends DeclaredAnswer {
  /** `true` in the last frame. */
  ended?: unknown;
}

/** A chat call of an evaluation. */
export interface DeclaredCall extends ChatCall {
  /** The texts of all messages, a blank line between, for an API that takes a text. */
  prompt: string;
}

/**
 * A JSON value that somebody else wrote: any member may be looked for with `?.`. What a reader returns needs no check.
 */
export interface JsonView {
  readonly [member: string]: JsonView | undefined;
}

/** A parsed body as the readers of a declaration get it: an object or a list; an empty object for any other value. */
export const viewOf = (body: unknown): JsonView =>
  typeof body === 'object' && body !== null ? (body as JsonView) : NOTHING;

const NOTHING: JsonView = Object.freeze({});
