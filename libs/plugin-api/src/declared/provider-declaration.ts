import type { ModelPrice } from '../model-price.js';
import type { EmbeddingCalls, Provider } from '../provider.js';
import type { DeclaredEndpoint, DeclaredModels, JsonView } from './declared-endpoint.js';

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
