import { readExactJson } from '@spandrel/contract/browser';
import { UsageFault } from '../exit-codes.js';

/** A request of any endpoint, without its file. */
export interface ApiRequest {
  method: string;
  path: string;
  query: Record<string, string[]>;
  /** Members of a JSON body; `undefined` without any. */
  body: Record<string, unknown> | undefined;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

/**
 * Reads the words of `spandrel api`.
 * @param hasFile whether a file is the body: then there are no members.
 * @throws UsageFault for words that make no request.
 */
export function requestOf(method: string, path: string, parameters: readonly string[], hasFile: boolean): ApiRequest {
  const name = method.toUpperCase();
  if (!METHODS.includes(name)) throw new UsageFault(`${method}: is no method; there are ${METHODS.join(', ')}`);
  if (hasFile && WITHOUT_BODY.has(name)) throw new UsageFault(`-f: ${name} takes no body`);
  const request: ApiRequest = { method: name, path: pathOf(path), query: {}, body: undefined };
  const isQuery = hasFile || WITHOUT_BODY.has(name);
  for (const parameter of parameters) take(parameter);
  return request;

  function take(parameter: string): void {
    const [, key, sign, value] = /^([^=]+?)(:=|==|=)(.*)$/s.exec(parameter) ?? [];
    if (key === undefined || value === undefined) throw new UsageFault(`${parameter}: must be k=v, k:=JSON or k==v`);
    if (sign === '==' || (sign === '=' && isQuery)) (request.query[key] ??= []).push(value);
    else if (isQuery)
      throw new UsageFault(`${parameter}: ${hasFile ? 'the file is' : `${name} takes no`} body; write k=v`);
    else member(key, sign === '=' ? value : jsonOf(parameter, value));
  }

  function member(key: string, value: unknown): void {
    request.body ??= {};
    if (Object.hasOwn(request.body, key)) throw new UsageFault(`${key}: was given twice`);
    // A member of any name is one, `__proto__` too.
    Object.defineProperty(request.body, key, { value, enumerable: true });
  }
}

/** A key goes to the server of the settings alone. */
function pathOf(path: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path) || path.startsWith('//')) {
    throw new UsageFault(`${path}: must be a path such as /api/traces; --url says which server`);
  }
  if (/[\s#]/.test(path)) throw new UsageFault(`${path}: has blanks or #, which a path writes as %20 and %23`);
  return path.startsWith('/') ? path : `/${path}`;
}

function jsonOf(parameter: string, text: string): unknown {
  try {
    // Every digit of a number is sent as it was written.
    return readExactJson(text);
  } catch {
    throw new UsageFault(`${parameter}: what follows := is not JSON; a text is written k=v`);
  }
}
