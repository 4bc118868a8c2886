import { checkedBase } from './http.js';
import type { Api, ListId, ApiOptions } from './operation-types.js';

export type { Api } from './operation-types.js';

/** What is asked of any object: by `await`, by `JSON.stringify`, by the matchers of tests. */
const NO_METHODS = new Set(['then', 'toJSON', 'asymmetricMatch']);

type AnyMethod = (...args: unknown[]) => unknown;

/**
 * @returns a client of the API of a server, which is loaded with the first call: what only records never loads it.
 * @throws TypeError when the URL is none.
 */
export function createApi(options: ApiOptions): Api {
  checkedBase(options.url);
  let loaded: Promise<Api> | undefined;
  const client = (): Promise<Api> =>
    (loaded ??= import('./operation-calls.js').then(({ createClient }) => createClient(options)));
  const loadMethod = async (name: string): Promise<AnyMethod> => {
    const method = ((await client()) as unknown as Record<string, AnyMethod | undefined>)[name];
    if (!method) throw new TypeError(`the API has no operation "${name}"`);
    return method;
  };
  async function* pages(id: ListId, args: object): AsyncGenerator<unknown, void, undefined> {
    yield* (await client()).pages(id, args);
  }
  return new Proxy({} as Api, {
    get: (target, name) => {
      if (name in target || typeof name === 'symbol') return Reflect.get(target, name) as unknown;
      if (NO_METHODS.has(name)) return undefined;
      if (name === 'pages') return pages;
      return async (...args: unknown[]) => (await loadMethod(name))(...args);
    },
  });
}
