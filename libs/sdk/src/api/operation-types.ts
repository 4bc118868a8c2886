import type { LISTS } from './operations.generated.js';
import type {
  DatapointList,
  DatapointPreviewList,
  FileBody,
  Operations,
  SearchAnswer,
  SearchOutlineAnswer,
  SpanList,
  SpanOutlineList,
  TraceOutline,
  TraceSpans,
} from './schema.js';

/** The id of an operation of the API. */
export type OperationId = keyof Operations;

/** Operations that answer pages. */
export type ListId = keyof typeof LISTS;

/** What an operation answers. */
export type AnswerOf<Id extends OperationId> = Operations[Id]['answer'];

/** Members that may be undefined too, which is as if they were left out, and lists that may be read-only. */
type Loose<T> = T extends FileBody
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : T extends object
      ? { [Name in keyof T]: undefined extends T[Name] ? Loose<T[Name]> | undefined : Loose<T[Name]> }
      : T;

/** What an operation takes: `path`, `query` and `body` as far as it has them, and options of the call. */
export type ArgumentsOf<Id extends OperationId> = {
  [Part in keyof Operations[Id] as Exclude<Part, 'answer'>]: Part extends 'query' | 'body'
    ? Loose<Operations[Id][Part]>
    : Operations[Id][Part];
} & CallOptions;

/** Operations with two forms of the answer, of which the arguments choose one. */
interface Forms {
  getTrace: { full: TraceSpans; fullBy: FullView; short: TraceOutline; shortBy: OutlineView };
  listSpans: { full: SpanList; fullBy: FullView; short: SpanOutlineList; shortBy: OutlineView };
  listDatapoints: {
    full: DatapointList;
    fullBy: { query?: { preview?: undefined } };
    short: DatapointPreviewList;
    shortBy: { query: { preview: number } };
  };
  searchSpans: {
    full: SearchAnswer;
    fullBy: { body: { view?: 'full' | undefined } };
    short: SearchOutlineAnswer;
    shortBy: { body: { view: 'outline' } };
  };
}
interface FullView {
  query?: { view?: 'full' | undefined };
}
interface OutlineView {
  query: { view: 'outline' };
}

/** A parameter that may be left out where none of its members is required. */
type Given<Arguments> = {} extends Arguments ? [args?: Arguments] : [args: Arguments];

interface CallWithForms<Id extends keyof Forms> {
  (args: ArgumentsOf<Id> & Forms[Id]['shortBy']): Promise<Forms[Id]['short']>;
  (...args: Given<ArgumentsOf<Id> & Forms[Id]['fullBy']>): Promise<Forms[Id]['full']>;
  (...args: Given<ArgumentsOf<Id>>): Promise<AnswerOf<Id>>;
}

type Call<Id extends OperationId> = Id extends keyof Forms
  ? CallWithForms<Id>
  : (...args: Given<ArgumentsOf<Id>>) => Promise<AnswerOf<Id>>;

/** The member of a page that holds its items; `Page` may be a union. */
type ListIn<Page, Name> = Page extends unknown ? (Name extends keyof Page ? Page[Name] : never) : never;

/** What the pages of an operation hold. */
export type ItemOf<Id extends ListId, Page = AnswerOf<Id>> =
  ListIn<Page, (typeof LISTS)[Id]> extends readonly (infer Item)[] ? Item : never;

type ListWithForms = ListId & keyof Forms;

interface Pages {
  <Id extends ListWithForms>(
    id: Id,
    args: ArgumentsOf<Id> & Forms[Id]['shortBy'],
  ): AsyncGenerator<ItemOf<Id, Forms[Id]['short']>, void, undefined>;
  <Id extends ListWithForms>(
    id: Id,
    ...args: Given<ArgumentsOf<Id> & Forms[Id]['fullBy']>
  ): AsyncGenerator<ItemOf<Id, Forms[Id]['full']>, void, undefined>;
  <Id extends ListId>(id: Id, ...args: Given<ArgumentsOf<Id>>): AsyncGenerator<ItemOf<Id>, void, undefined>;
}

/** What the client has beside a method for each operation. */
interface Whole {
  /**
   * Every item of a list, page after page: `for await (const span of api.pages('listSpans', { query: { model } })) …`.
   * A page is asked for when its first item is. @throws SpandrelError as a call does.
   */
  pages: Pages;
  /**
   * Sends any request, and gives the answer with its body unread: for streams and files (exports, imports, events).
   * @param path from the root of the API, such as `/api/export/json`.
   * @throws SpandrelError when no answer came, or an error (400 or above).
   */
  raw(method: string, path: string, options?: RawOptions): Promise<Response>;
}

/**
 * The API: a method for each operation, by the `operationId` of the OpenAPI document. A method gives the parsed answer; the
 * `Response` itself where that is a file or a stream. @throws SpandrelError when no answer came, or an error.
 */
export type Api = { readonly [Id in keyof Operations]: Call<Id> } & Whole;

/** Values of a query: lists are repeated, members of an object are `name.key`, what is undefined or null is left out. */
export type Query = Readonly<Record<string, unknown>>;

/** The server that a client calls, and how. */
export interface ApiOptions {
  /** Base URL of the server, which may have a path. */
  url: string;
  /** API key or JWT; cloud mode needs one. */
  key?: string | undefined;
  /** The global one when left out. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Reads the JSON of answers; `JSON.parse` when left out. For callers that keep every digit of numbers. */
  parseJson?: ((text: string) => unknown) | undefined;
  /** Longest time that a try may take, 60,000 ms when left out; of files and streams, until they begin. */
  timeoutMs?: number | undefined;
  /** Whether calls that do not say are tried again ({@link CallOptions.retry}). */
  retry?: boolean | undefined;
  /** Waits between tries; for tests. */
  wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: what it was aborted with is thrown. */
  signal?: AbortSignal | undefined;
  /** Instead of the client's. */
  timeoutMs?: number | undefined;
  /** Headers beside those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether to try again, three times at most, when no answer came or one that passes (408, 429, 5xx). When left out: what
   * reads, and what makes something under an id that the caller chose (`body.id`).
   */
  retry?: boolean | undefined;
}

/** A request of any endpoint. */
export interface RawOptions extends CallOptions {
  query?: Query | undefined;
  /** An object or a list is sent as JSON, everything else as it is; text is JSON where no header says otherwise. */
  body?: FileBody | object | undefined;
}
