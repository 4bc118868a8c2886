import { parseWithSources, type ErrorCode } from '@spandrel/contract/browser';
import { createClient, LISTS, type ListId } from '@spandrel/sdk/api';
import { unreachable } from './api-error.js';
import { PAGE_ROWS } from './page-rows.js';
import { BASE } from './project-base.js';
import { goToSignIn } from './go-to-sign-in.js';
import { addressByLink, EMBEDDED, SHARE_TOKEN } from './share-token.js';

/** The server ends what takes too long; a page waits for it. */
const TIMEOUT_MS = 3_600_000;

/**
 * The API of the page's own server: the SDK's client, a method for each operation. Numbers that a double cannot hold, and
 * those of payloads that are written in another way than `JSON.stringify` does, are raw JSON numbers (`JSON.isRawJSON`);
 * browsers without them show what a double holds rather than nothing.
 */
export const api = createClient({
  url: EMBEDDED ? 'http://file.invalid' : location.origin + BASE,
  timeoutMs: TIMEOUT_MS,
  // The query cache does it (api-error.ts).
  retry: false,
  parseJson: parseExactly,
  fetch: fetchWithCookie,
});

/** Reads JSON with every digit, where the browser can. */
export function parseExactly(text: string): unknown {
  return typeof JSON.rawJSON === 'function' ? parseWithSources(text) : JSON.parse(text);
}

/** Sends a request with the cookie of the session. Where that has ended the tab goes to the page to sign in. */
async function fetchWithCookie(target: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  if (EMBEDDED) return EMBEDDED(String(target));
  const response = await fetch(addressByLink(String(target)), {
    ...init,
    credentials: 'same-origin',
    redirect: 'follow',
  }).catch((error) => {
    throw init?.signal?.aborted ? error : unreachable();
  });
  if (SHARE_TOKEN !== null) return response;
  if (response.status === 401 || (response.status === 429 && (await isSignedOut(response.clone())))) goToSignIn();
  return response;
}

/** A session that has ended counts as a wrong credential; those that follow too many of them from one address are 429. */
const isSignedOut = async (response: Response): Promise<boolean> =>
  (await response.text()).includes('too_many_wrong_credentials' satisfies ErrorCode);

/** Parameters of a request: lists are repeated, `null` and `undefined` are left out. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>
>;

export interface ListPage<Row> {
  rows: readonly Row[];
  /** Cursor of the next page; `null` on the last one. */
  next: string | null;
}

/** How a page is asked for: `query` may have a smaller `limit`, `cursor` is `null` for the first page. */
interface ListArguments {
  path?: Readonly<Record<string, string>>;
  query?: Query;
  cursor?: string | null;
  signal?: AbortSignal | undefined;
}

/**
 * A page of any list of the API.
 * @param id the operation, which says what a `Row` is.
 * @throws SpandrelError
 */
export async function listPage<Row>(
  id: ListId,
  { path, query, cursor, signal }: ListArguments,
): Promise<ListPage<Row>> {
  const list = api[id] as unknown as (args: object) => Promise<Record<string, unknown>>;
  const answer = await list({ path, query: { limit: PAGE_ROWS, ...query, cursor }, signal });
  return { rows: answer[LISTS[id]] as Row[], next: answer['next_cursor'] as string | null };
}

/** All rows of a list that is short, such as the boards of a project. @throws SpandrelError */
export const shortList = async <Row>(id: ListId, signal: AbortSignal, query: object = {}): Promise<readonly Row[]> =>
  (await listPage<Row>(id, { query: { limit: SHORT_MAX, ...query }, signal })).rows;

/** The most that the API gives at once. */
const SHORT_MAX = 1_000;
