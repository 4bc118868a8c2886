import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from '@spandrel/http';
import { isAnyJson } from '../support/traffic-check.ts';
import type { Seeds } from './seeds.ts';

/** A request that a client should not send, or one beside it. */
export interface FuzzCase {
  /** What is odd about it. */
  what: string;
  method: string;
  /** The path in the form that goes over the wire. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** A documented operation. */
interface Target {
  method: string;
  path: string;
  operation: OpenApiOperation;
}

/** Ids in paths that name nothing, or that a careless server takes for something else. */
const ODD_IDS = [
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '%FF%FE',
  '%2F',
  '%2F..%2F..%2Fetc%2Fpasswd',
  '..',
  '.',
  '%2e%2e',
  '%',
  '%zz',
  '%0d%0aX-Injected:%20yes',
  '%20',
  '__proto__',
  'constructor',
  'null',
  '-1',
  '*',
  ':id',
  '{id}',
  "'%20or%20'1'='1",
  'a'.repeat(8_000),
  'a'.repeat(9_000),
];

/** Values of query parameters that are of no type, as they stand in a query string. */
const ODD_PARAMETERS = [
  '',
  'x',
  '-1',
  '0',
  '1.5',
  '1e999',
  'NaN',
  '0x10',
  '%00',
  '%ED%A0%80',
  '%zz',
  '%25',
  'a'.repeat(8_300),
  'true',
  '2026-13-40',
  '2026-11-20T09:00:00+02:00',
  "';--",
  '%7B%22a%22%3A1%7D',
];

const DEEP = `${'['.repeat(150)}${']'.repeat(150)}`;

/** JSON texts put in the place of a member. */
const ODD_MEMBERS = [
  'null',
  'true',
  '-1',
  '1.5',
  '1e308',
  '123456789012345678901234567890',
  '""',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  JSON.stringify('y'.repeat(3_000)),
  '[]',
  '[null]',
  '[[1]]',
  '{}',
  '{"__proto__":{"a":1},"constructor":null}',
  DEEP,
];

/** Bodies that are wrong as a whole. */
const ODD_BODIES: [string, string | Buffer][] = [
  ['nothing', ''],
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '1'],
  ['a long number', '123456789012345678901234567890'],
  ['a text', '"x"'],
  ['an empty list', '[]'],
  ['a list', '[{}]'],
  ['an object', '{}'],
  ['a cut object', '{"a":'],
  ['no JSON', 'undefined'],
  ['more than a value', '{} {}'],
  ['a trailing comma', '{"a":1,}'],
  ['a byte order mark', '\ufeff{}'],
  ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['a number out of range', '{"a":1e400}'],
  ['duplicate keys', '{"a":1,"a":2}'],
  ['__proto__', '{"__proto__":{"polluted":true}}'],
  ['too deep', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`],
  ['too deep lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
];

const ODD_CONTENT_TYPES = [
  undefined,
  '',
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset="odd',
  'application/json;',
  'application/vnd.x+json',
  'application/',
  '*/*',
  'JSON',
  'x'.repeat(5_000),
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

/** Every odd request to the operations of a document; the same ones each time. */
export function* fuzzCases(document: OpenApiDocument, seeds: Seeds): Generator<FuzzCase> {
  const samples = new Samples(document, seeds);
  // What deletes goes last, so that the others meet what is there.
  const targets = targetsOf(document).toSorted((a, b) => Number(deletesAll(a)) - Number(deletesAll(b)));
  for (const target of targets) {
    yield* oddIds(target, seeds);
    yield* oddQueries(target, seeds);
    if (target.method !== 'GET') yield* oddBodies(target, seeds, samples);
  }
  for (const path of Object.keys(document.paths)) yield* oddPaths(path, document, seeds);
}

const targetsOf = (document: OpenApiDocument): Target[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

const deletesAll = ({ method, path }: Target): boolean => method === 'DELETE' && !path.includes('{');

/** A path with ids that exist, or that surely do not where the request would delete what others need. */
const filled = ({ method, path }: Target, seeds: Seeds): string =>
  seeds.fill(method === 'DELETE' ? path.replace(/\{\w+\}$/, 'unknown') : path);

function* oddIds({ method, path }: Target, seeds: Seeds): Generator<FuzzCase> {
  for (const [parameter] of path.matchAll(/\{\w+\}/g)) {
    for (const id of ODD_IDS) {
      yield {
        what: `the id ${id.slice(0, 30)}`,
        method,
        path: seeds.fill(path.replace(parameter, id)),
        ...jsonOf(method),
      };
    }
  }
}

const jsonOf = (method: string): Partial<FuzzCase> =>
  method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } };

function* oddQueries(target: Target, seeds: Seeds): Generator<FuzzCase> {
  const path = filled(target, seeds);
  const { method } = target;
  for (const query of ['?', '?&&=', '?%zz=1', '?__proto__=1', '??', '?a[b]=1&a[]=2', `?${'q=1&'.repeat(500)}`]) {
    yield { what: `the query ${query.slice(0, 30)}`, method, path: path + query, ...jsonOf(method) };
  }
  for (const { name: documented, in: place, schema } of target.operation.parameters ?? []) {
    if (place !== 'query') continue;
    // Members of an object are parameters of their own.
    const name = schema['type'] === 'object' ? `${documented}.key` : documented;
    const queries = ODD_PARAMETERS.map((value) => `${name}=${value}`);
    queries.push(`${name}=1&${name}=2`, `${name}[a]=1`, `${name}[]=1`, `${name}=a&`.repeat(70));
    for (const query of queries) {
      yield { what: `the query ${query.slice(0, 40)}`, method, path: `${path}?${query}`, ...jsonOf(method) };
    }
  }
}

function* oddBodies(target: Target, seeds: Seeds, samples: Samples): Generator<FuzzCase> {
  const { method, operation } = target;
  const path = filled(target, seeds);
  const types = Object.keys(operation.requestBody?.content ?? { 'application/json': {} });
  for (const type of types) {
    for (const [what, body] of ODD_BODIES) {
      yield { what: `${what} as ${type}`, method, path, body, headers: { 'content-type': type } };
    }
  }
  const valid = samples.ofBody(operation);
  for (const type of ODD_CONTENT_TYPES) {
    for (const body of ['', valid === undefined ? '{}' : JSON.stringify(valid)]) {
      const headers = type === undefined ? {} : { 'content-type': type };
      yield { what: `the media type ${type?.slice(0, 40)}`, method, path, body, headers };
    }
  }
  for (const encoding of ['gzip', 'br', 'x']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    yield { what: `the encoding ${encoding}`, method, path, body: '{}', headers };
  }
  if (valid === undefined) return;
  for (const [what, body] of samples.mutations(operation)) {
    yield { what, method, path, body, headers: { 'content-type': 'application/json' } };
  }
}

function* oddPaths(path: string, document: OpenApiDocument, seeds: Seeds): Generator<FuzzCase> {
  const documented = Object.keys(document.paths[path]!).map((method) => method.toUpperCase());
  const unknown = path.replace(/\{\w+\}/g, 'unknown');
  for (const method of METHODS) {
    if (!documented.includes(method)) yield { what: 'the method', method, path: seeds.fill(path), ...bodyOf(method) };
  }
  const paths = [
    `${unknown}/`,
    `/${unknown}`,
    unknown.replace('/api/', '/api//'),
    `${unknown}//`,
    `${unknown}/.`,
    `${unknown}/x`,
    `${unknown};x=1`,
    `${unknown}%20`,
    `${unknown}%00`,
    `${unknown}.json`,
    `/.${unknown}`,
    `/api/..${unknown}`,
    unknown.toUpperCase(),
    unknown.replace('/api/', '/Api/'),
    `/${unknown.slice(1).replaceAll('/', '%2F')}`,
  ].filter((odd) => odd !== unknown);
  for (const odd of paths) {
    for (const method of documented) yield { what: 'the path', method, path: odd, ...jsonOf(method) };
  }
}

const bodyOf = (method: string): Partial<FuzzCase> => (['POST', 'PUT', 'PATCH'].includes(method) ? jsonOf(method) : {});

/** Where a mutated value stands until the whole body is text: values that JSON.stringify could not write are put in. */
const PLACE = '@@place@@';

/** Bodies made from the schemas of the document. */
class Samples {
  private turn = 0;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly seeds: Seeds,
  ) {}

  /** A valid JSON body; `undefined` for an operation that takes none. */
  ofBody(operation: OpenApiOperation): unknown {
    const schema = bodySchema(operation);
    return schema && this.whole(operation, schema);
  }

  /** The valid body with one member wrong or missing. */
  *mutations(operation: OpenApiOperation): Generator<[string, string]> {
    const schema = bodySchema(operation)!;
    const whole = this.whole(operation, schema);
    for (const [path, put] of this.places(schema, '', (value) => value, 0, whole)) {
      for (const text of this.some(path)) {
        yield [`${path} as ${text.slice(0, 40)}`, JSON.stringify(put(PLACE)).replace(`"${PLACE}"`, () => text)];
      }
      yield [`without ${path}`, JSON.stringify(put(undefined)) ?? '{}'];
    }
    yield ['members nobody knows', JSON.stringify({ ...(whole as object), unknown: { a: [1] }, '': null })];
  }

  private whole({ operationId }: OpenApiOperation, schema: OpenApiSchema): unknown {
    const sample = this.sample(schema, '');
    const known = this.seeds.body(operationId);
    return known ? { ...(sample as object), ...known } : sample;
  }

  /** Some of the odd values, in turn: a half of them for a member of the body itself, a fifth for those within. */
  private some(path: string): string[] {
    const stride = /[.[]/.test(path) ? 5 : 2;
    this.turn++;
    return ODD_MEMBERS.filter((_text, index) => (index + this.turn) % stride === 0);
  }

  /** Each member of a schema, with what puts a value into its place in the whole. @param known the members beside it. */
  private *places(
    given: OpenApiSchema,
    path: string,
    wrap: (value: unknown) => unknown,
    depth: number,
    known?: unknown,
  ): Generator<[string, (value: unknown) => unknown]> {
    const schema = this.resolved(given);
    const variants = (schema['anyOf'] ?? schema['oneOf']) as OpenApiSchema[] | undefined;
    if (variants) {
      for (const variant of variants) yield* this.places(variant, path, wrap, depth);
    } else if (schema['type'] === 'array' && path !== '') {
      const items = schema['items'] as OpenApiSchema;
      yield [`${path}[0]`, (value) => wrap([value])];
      if (depth < DEPTH_MAX) yield* this.places(items, `${path}[0]`, (value) => wrap([value]), depth + 1);
    } else if (schema['properties']) {
      const base = (known ?? this.sample(schema, '')) as Record<string, unknown>;
      for (const [name, member] of Object.entries(schema['properties'] as Record<string, OpenApiSchema>)) {
        const put = (value: unknown): unknown => wrap({ ...base, [name]: value });
        yield [`${path}${path && '.'}${name}`, put];
        if (depth < DEPTH_MAX) yield* this.places(member, `${path}${path && '.'}${name}`, put, depth + 1);
      }
    }
  }

  private sample(given: OpenApiSchema, name: string): unknown {
    const known = this.seeds.member(name);
    if (known !== undefined) return known;
    const schema = this.resolved(given);
    if (schema['example'] !== undefined) return schema['example'];
    if (Array.isArray(schema['enum'])) return schema['enum'][0];
    const [variant] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as OpenApiSchema[];
    if (variant) return this.sample(variant, name);
    switch (schema['type']) {
      case 'object': {
        const properties = (schema['properties'] ?? {}) as Record<string, OpenApiSchema>;
        const required = (schema['required'] ?? []) as string[];
        return Object.fromEntries(required.map((key) => [key, this.sample(properties[key]!, key)]));
      }
      case 'array':
        return schema['minItems'] ? [this.sample(schema['items'] as OpenApiSchema, name)] : [];
      case 'integer':
      case 'number':
        return schema['minimum'] ?? 1;
      case 'boolean':
        return true;
      default:
        return 'x';
    }
  }

  private resolved(schema: OpenApiSchema): OpenApiSchema {
    const ref = schema['$ref'] ?? (schema['allOf'] as OpenApiSchema[] | undefined)?.[0]?.['$ref'];
    return typeof ref === 'string' ? this.document.components.schemas[ref.split('/').at(-1)!]! : schema;
  }
}

/** Levels of members that are made wrong. */
const DEPTH_MAX = 3;

function bodySchema(operation: OpenApiOperation): OpenApiSchema | undefined {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return schema && isAnyJson(schema) ? undefined : schema;
}
