import type { Usage } from '../chat.js';
import type { ChatCall, Endpoint } from '../provider.js';

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
