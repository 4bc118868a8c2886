import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from '@spandrel/http';
import { isThirdPartyPath } from './otlp-path.ts';

/** A request and what was answered, as they crossed the wire. */
export interface Exchange {
  method: string;
  /** Path and query. */
  path: string;
  /** Text of a JSON body. */
  requestBody?: string | undefined;
  status: number;
  headers: { get(name: string): string | null };
  text: string;
}

const PROBLEM = 'application/problem+json';
/** One object, as schemas are compiled once for each. */
const PROBLEM_SCHEMA: OpenApiSchema = { $ref: '#/components/schemas/Problem' };

/** A schema with the names of operations it is seen under, compiled. */
type Check = (value: unknown) => string | undefined;

const checks = new Map<string, TrafficCheck>();

/**
 * Compares traffic with the OpenAPI document: answers are what is documented and have no member beyond, and requests
 * that succeeded were documented as valid. So drift shows in both directions.
 */
export class TrafficCheck {
  private readonly closed: Compiler;
  private readonly open: Compiler;
  private readonly routes: { segments: string[]; methods: Record<string, OpenApiOperation> }[];

  /** The check of a document, one for all servers that say the same. @param text its JSON. */
  static of(text: string): TrafficCheck {
    let check = checks.get(text);
    if (!check) checks.set(text, (check = new TrafficCheck(JSON.parse(text) as OpenApiDocument)));
    return check;
  }

  constructor(document: OpenApiDocument) {
    this.open = new Compiler(document);
    this.closed = new Compiler(closeObjects(document) as OpenApiDocument);
    this.routes = Object.entries(document.paths).map(([path, methods]) => ({ segments: path.split('/'), methods }));
  }

  /** @throws Error that says what differs from the document. */
  check(exchange: Exchange): void {
    const fault = this.faultOf(exchange);
    if (fault === undefined) return;
    const { method, path, status, text } = exchange;
    throw new Error(
      `not as the OpenAPI document says: ${method} ${path.slice(0, 200)} → ${status}: ${fault}\n${text.slice(0, 500)}`,
    );
  }

  /** What is not as documented; `undefined` when everything is. */
  private faultOf(exchange: Exchange): string | undefined {
    if (!exchange.headers.get('x-request-id')) return 'there is no X-Request-Id';
    if (exchange.headers.get('cross-origin-resource-policy') !== 'same-origin') return 'other pages may embed it';
    const operation = this.operationOf(exchange);
    if (!operation) {
      if (isThirdPartyPath(exchange.path))
        return exchange.status === 405 ? undefined : 'protocols of others answer other methods with 405';
      if (exchange.method === 'OPTIONS' && exchange.status === 204) return undefined;
      return exchange.status >= 400 && exchange.status < 500
        ? this.problemFault(exchange)
        : 'the document has no such operation';
    }
    return (
      this.answerFault(operation, exchange) ??
      (exchange.status < 300 ? this.requestFault(operation, exchange) : undefined)
    );
  }

  private operationOf({ method, path }: Exchange): OpenApiOperation | undefined {
    const [plain] = path.split('?', 1);
    const segments = (isThirdPartyPath(path) ? plain!.replace(/\/$/, '') : plain!).split('/');
    const fits = this.routes.filter(
      (route) =>
        route.segments.length === segments.length &&
        route.segments.every((part, index) =>
          part.startsWith('{') ? segments[index] !== '' : part === segments[index],
        ),
    );
    // The route with the most literal segments is the one that is meant.
    const [best] = fits.sort((a, b) => variables(a.segments) - variables(b.segments));
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    return best?.methods[verb];
  }

  private answerFault(operation: OpenApiOperation, exchange: Exchange): string | undefined {
    const documented = operation.responses[exchange.status];
    if (!documented) return `${operation.operationId} documents no ${exchange.status}`;
    const response = this.closed.resolve(documented);
    if (Object.keys(response.content ?? {}).length === 0) return exchange.text === '' ? undefined : 'there is a body';
    const mediaType = mediaTypeOf(exchange.headers);
    const media = response.content?.[mediaType];
    if (!media) return `${operation.operationId} documents no "${mediaType}" for ${exchange.status}`;
    if (exchange.method === 'HEAD') return undefined;
    if (mediaType === PROBLEM)
      return this.problemFault(exchange) ?? this.closed.fault(media.schema, parsed(exchange.text));
    const isJson = mediaType === 'application/json' && !isAnyJson(media.schema);
    return isJson ? this.closed.fault(media.schema, parsed(exchange.text)) : undefined;
  }

  private problemFault({ headers, text, status, method }: Exchange): string | undefined {
    if (mediaTypeOf(headers) !== PROBLEM) return 'the error is no problem+json';
    if (method === 'HEAD') return undefined;
    const body = parsed(text) as { status?: unknown; request_id?: unknown } | undefined;
    if (body?.status !== status) return `"status" is not ${status}`;
    if (body.request_id !== headers.get('x-request-id')) return '"request_id" is not X-Request-Id';
    return this.closed.fault(PROBLEM_SCHEMA, body);
  }

  private requestFault(operation: OpenApiOperation, exchange: Exchange): string | undefined {
    return this.queryFault(operation, exchange) ?? this.bodyFault(operation, exchange);
  }

  private queryFault({ parameters = [] }: OpenApiOperation, { path }: Exchange): string | undefined {
    if (isThirdPartyPath(path)) return undefined;
    const searchParams = new URLSearchParams(path.split('?').slice(1).join('?'));
    const documented = parameters.filter((parameter) => parameter.in === 'query');
    for (const name of new Set(searchParams.keys())) {
      const parameter = documented.find((each) => isNamed(each, name));
      if (!parameter) return `the query parameter "${name}" is not documented`;
      const fault = this.open.fault(parameter.schema, queryValue(name, searchParams.getAll(name), parameter.schema));
      if (fault !== undefined) return `query parameter "${name}": ${fault}`;
    }
    const missing = documented.find(({ name, required }) => required && !searchParams.has(name));
    return missing && `the query parameter "${missing.name}" is required`;
  }

  private bodyFault(
    { requestBody }: OpenApiOperation,
    { requestBody: text, ...exchange }: Exchange,
  ): string | undefined {
    const media = requestBody?.content['application/json'];
    if (!media || isAnyJson(media.schema)) return undefined;
    if (text === undefined || text === '') return requestBody?.required ? 'the body is required' : undefined;
    // Items that are rejected are valid to send.
    const { rejected = [] } = (parsed(exchange.text) ?? {}) as { rejected?: unknown[] };
    if (rejected.length > 0) return undefined;
    const fault = this.open.fault(media.schema, parsed(text));
    return fault && `the body was taken, but is not documented so: ${fault}`;
  }
}

const variables = (segments: readonly string[]): number => segments.filter((part) => part.startsWith('{')).length;

const mediaTypeOf = (headers: Exchange['headers']): string =>
  (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a parameter is what a name stands for; each member of an object is sent by itself, as `NAME.KEY`. */
const isNamed = (parameter: { name: string; schema: OpenApiSchema }, sent: string): boolean =>
  parameter.schema['type'] === 'object' ? sent.startsWith(`${parameter.name}.`) : parameter.name === sent;

function queryValue(name: string, values: string[], schema: OpenApiSchema): unknown {
  const [value] = values;
  switch (schema['type']) {
    case 'object':
      return { [name]: value };
    case 'array':
      return values;
    case 'number':
    case 'integer':
      return value === '' || Number.isNaN(Number(value)) ? value : Number(value);
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    default:
      return value;
  }
}

/** Compiles schemas of a document, each once. */
class Compiler {
  /** The document's own schemas are the linter's business; compiling them is what takes time, a third of it like this. */
  private readonly ajv = new Ajv({
    strict: false,
    allErrors: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  private readonly checks = new Map<OpenApiSchema, Check>();

  private readonly document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.document = document;
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $id: 'api', components: document.components });
  }

  resolve<T extends object>(value: T | { $ref: string }): T {
    if (!('$ref' in value)) return value;
    const [, ...path] = value.$ref.split('/');
    return path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], this.document) as T;
  }

  /** What is wrong with a value, or `undefined`. */
  fault(schema: OpenApiSchema, value: unknown): string | undefined {
    let check = this.checks.get(schema);
    if (!check) this.checks.set(schema, (check = this.compile(schema)));
    return check(value);
  }

  private compile(schema: OpenApiSchema): Check {
    const validate: ValidateFunction = this.ajv.compile(absolute(schema) as OpenApiSchema);
    return (value) => {
      if (validate(value)) return undefined;
      const [error] = validate.errors!;
      const { instancePath, message, params } = error!;
      return `${instancePath === '' ? 'the value' : instancePath} ${message} ${JSON.stringify(params)}`;
    };
  }
}

/** References within the document, for a schema that is compiled outside of it. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' ? member.replace(/^#/, 'api#') : absolute(member),
    ]),
  );
}

/**
 * A copy in which objects have no members beyond the documented ones, but where the schema says that they may. Not
 * within `allOf`, whose parts see the members of each other.
 */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === 'allOf' ? member : closeObjects(member)]),
  );
  const isOpenObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isOpenObject ? { ...copy, additionalProperties: false } : copy;
}

/** Whether a schema takes any JSON: that of a file, which the document does not describe. */
export const isAnyJson = (schema: OpenApiSchema): boolean => Object.keys(schema).every((key) => key === 'description');
