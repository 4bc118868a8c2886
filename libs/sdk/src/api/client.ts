import type { AnswerOf, ArgumentsOf, Call, ListId, OperationId, Pages } from './operation-types.js';
import { LISTS, ROUTES, UNREAD } from './operations.js';
import { filledPath } from './request-url.js';
import type { Operations } from './schema.js';
import { createSend, type ApiOptions, type RawOptions, type Send } from './send.js';
import { errorOfAnswer } from './spandrel-error.js';

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

/**
 * @returns a client of the API of a server. It makes no request by itself.
 * @throws TypeError when the URL is none.
 */
export function createApi(options: ApiOptions): Api {
  const send = createSend(options);
  const call = <Id extends OperationId>(id: Id, args: Partial<ArgumentsOf<Id>> = {}): Promise<AnswerOf<Id>> =>
    callOperation(send, id, args);
  const methods = Object.keys(ROUTES).map((id) => [id, (args?: object) => call(id as OperationId, args)]);
  const whole = {
    pages: (id: ListId, args?: object) => items(id, args, call as CallList),
    raw: (method: string, path: string, given: RawOptions = {}) => send(method, path, given, async (answer) => answer),
  };
  return { ...Object.fromEntries(methods), ...whole } as Api;
}

/** What the parts of a call are, whichever operation it is of. */
type AnyArguments = RawOptions & { path?: Record<string, unknown> };

async function callOperation<Id extends OperationId>(
  send: Send,
  id: Id,
  { path: values, ...options }: AnyArguments,
): Promise<AnswerOf<Id>> {
  const [method, path] = ROUTES[id].split(' ') as [string, string];
  const target = filledPath(path, values);
  if (UNREAD.has(id)) return (await send(method, target, options, async (answer) => answer)) as AnswerOf<Id>;
  const headers = { accept: 'application/json', ...options.headers };
  return send(method, target, { ...options, headers }, readJson<AnswerOf<Id>>);
}

async function readJson<Body>(answer: Response): Promise<Body> {
  const text = await answer.text();
  if (answer.status >= 300) throw errorOfAnswer(answer, text);
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw errorOfAnswer(answer, text);
  }
}

type CallList = (id: ListId, args: AnyArguments) => Promise<Record<string, unknown>>;

async function* items(id: ListId, args: AnyArguments = {}, call: CallList): AsyncGenerator<unknown, void, undefined> {
  let cursor: unknown;
  do {
    const page = await call(id, cursor === undefined ? args : { ...args, query: { ...args.query, cursor } });
    yield* page[LISTS[id]] as unknown[];
    cursor = page['next_cursor'] ?? undefined;
  } while (cursor !== undefined);
}
