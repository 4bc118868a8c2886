import { extname } from 'node:path';
import { parseWithSources, readExactJson } from '@spandrel/contract/browser';
import { clientCommand, type ClientCall, type ClientProgram } from '../client-command.js';
import { openContent } from '../datasets/import-export.js';
import { CommandFailure, ExitCode, UsageFault } from '../exit-codes.js';
import { readAnswer } from '../server.js';

interface ApiRequest {
  method: string;
  path: string;
  query: Record<string, string[]>;
  body: Record<string, unknown> | undefined;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

/** @param hasFile whether a file is the body: no members then. @throws UsageFault for words that make no request. */
export function readRequest(method: string, path: string, parameters: readonly string[], hasFile: boolean): ApiRequest {
  const name = method.toUpperCase();
  if (!METHODS.includes(name)) throw new UsageFault(`${method}: is no method; there are ${METHODS.join(', ')}`);
  if (hasFile && WITHOUT_BODY.has(name)) throw new UsageFault(`-f: ${name} takes no body`);
  const request: ApiRequest = { method: name, path: readPath(path), query: {}, body: undefined };
  const isQuery = hasFile || WITHOUT_BODY.has(name);
  for (const parameter of parameters) take(parameter);
  return request;

  function take(parameter: string): void {
    const [, key, sign, value] = /^([^=]+?)(:=|==|=)(.*)$/s.exec(parameter) ?? [];
    if (key === undefined || value === undefined) throw new UsageFault(`${parameter}: must be k=v, k:=JSON or k==v`);
    if (sign === '==' || (sign === '=' && isQuery)) (request.query[key] ??= []).push(value);
    else if (isQuery)
      throw new UsageFault(`${parameter}: ${hasFile ? 'the file is' : `${name} takes no`} body; write k=v`);
    else member(key, sign === '=' ? value : parseJson(parameter, value));
  }

  function member(key: string, value: unknown): void {
    request.body ??= {};
    if (Object.hasOwn(request.body, key)) throw new UsageFault(`${key}: was given twice`);
    // A member of any name is one, `__proto__` too.
    Object.defineProperty(request.body, key, { value, enumerable: true });
  }
}

/** A key goes to the server of the settings alone. */
function readPath(path: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path) || path.startsWith('//')) {
    throw new UsageFault(`${path}: must be a path such as /api/traces; --url says which server`);
  }
  if (/[\s#]/.test(path)) throw new UsageFault(`${path}: has blanks or #, which a path writes as %20 and %23`);
  return path.startsWith('/') ? path : `/${path}`;
}

function parseJson(parameter: string, text: string): unknown {
  try {
    // A number is sent as it was written.
    return readExactJson(text, parseWithSources);
  } catch {
    throw new UsageFault(`${parameter}: what follows := is not JSON; a text is written k=v`);
  }
}

interface ApiOptions {
  file?: string;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.jsonl': 'application/x-ndjson',
  '.ndjson': 'application/x-ndjson',
  '.gz': 'application/gzip',
};

/** Answers come when they come: a delete of everything, an import. */
const ANSWER_MS_MAX = 600_000;

async function callApi(
  { api, out, io, options: { file } }: ClientCall<ApiOptions>,
  methodName: string,
  pathText: string,
  parameters: readonly string[],
): Promise<void> {
  const { method, path, query, body } = readRequest(methodName, pathText, parameters, file !== undefined);
  const headers = file === undefined ? {} : { 'content-type': chooseMediaType(file) };
  const content = file === undefined ? body : await openContent(file, io.stdin);
  const answer = await api.raw(method, path, {
    query,
    headers,
    body: content,
    timeoutMs: ANSWER_MS_MAX,
    // Who calls by hand sees what one call does.
    retry: false,
  });
  if (answer.body === null) return;
  const type = answer.headers.get('content-type') ?? '';
  if (/html/.test(type) && !path.startsWith('/api/')) {
    throw new CommandFailure(`${path}: is a page; paths of the API begin with /api`, ExitCode.refused);
  }
  if (!/json/.test(type)) await out.stream(answer.body, 'text');
  else if (/ndjson/.test(type) || !out.isTerminal) await out.stream(answer.body, 'json');
  else await out.document(await readAnswer(answer));
}

const chooseMediaType = (file: string): string => MEDIA_TYPES[extname(file).toLowerCase()] ?? 'application/json';

const HELP = `
Parameters:
  k=v    a parameter of the query of GET, HEAD and DELETE; a text member of the JSON body of others
  k:=v   a member of the body that is JSON: a number, a list, an object
  k==v   a parameter of the query, whatever the method

With -f the file is the body, and all parameters are of the query.`;

export function addApi(client: ClientProgram, description: string): void {
  const api = client.program
    .command('api')
    .description(description)
    .argument('<method>', 'GET, POST, PUT, PATCH, DELETE or HEAD')
    .argument('<path>', 'such as /api/traces')
    .argument('[parameters...]', 'k=v')
    .option('-f, --file <file>', 'the body; - is standard input')
    .addHelpText('after', HELP);
  clientCommand<ApiOptions, [string, string, string[]]>(client, api, callApi);
}
