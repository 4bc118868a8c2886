import type { Api, AnswerOf, ArgumentsOf, ListId, OperationId } from './operation-types.js';
import { LISTS, ROUTES, UNREAD } from './operations.js';
import { filledPath } from './request-url.js';
import { createSend, type ApiOptions, type RawOptions, type Send } from './send.js';
import { errorOfAnswer } from './error-of-answer.js';

/**
 * @returns a client of the API of a server. It makes no request by itself.
 * @throws TypeError when the URL is none.
 */
export function createClient(options: ApiOptions): Api {
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
