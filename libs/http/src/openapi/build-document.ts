import { problemSchema } from '@spandrel/contract';
import { z } from 'zod';
import { PACKAGE, type Feature } from '@spandrel/kernel';
import { isCounted, type MediaDescription, type OperationDescription } from '../operation.js';
import { namesIgnored, type RouteFacts } from './find-routes.js';
import {
  type OpenApiDocument,
  type OpenApiMedia,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  type OpenApiSchema,
  SchemaComponents,
} from './schema-components.js';
import {
  describeThirdPartyProblems,
  IGNORED,
  ProblemResponses,
  problemsOf,
  RATE_LIMIT,
  REQUEST_ID,
} from './route-problems.js';

export interface DocumentParts {
  routes: readonly RouteFacts[];
  features: readonly Feature[];
  authenticated: boolean;
}

const KERNEL_TAG = { name: 'Operations', description: 'Health, metrics and this description.' };

/** The OpenAPI 3.0 description of an app (docs/spec/health.md#the-openapi-description). */
export function buildDocument({ routes, features, authenticated }: DocumentParts): OpenApiDocument {
  const components = new SchemaComponents();
  const problems = new ProblemResponses();
  components.schemaOf(problemSchema, 'output');
  const paths: OpenApiDocument['paths'] = {};
  const describe = (route: RouteFacts): OpenApiOperation => ({
    operationId: route.operation.id,
    summary: route.operation.summary,
    ...(route.operation.description !== undefined && { description: route.operation.description }),
    tags: [tagOf(route, features).name],
    ...parametersOf(route, components),
    ...requestBodyOf(route, components),
    responses: {
      [route.status]: successOf(route, route.operation.answer, components),
      ...otherAnswerOf(route, components),
      ...errorsOf(route, problems, components),
    },
    security: securityOf(route, authenticated),
  });
  for (const route of routes) {
    try {
      (paths[route.path] ??= {})[route.method] = describe(route);
    } catch (error) {
      throw new Error(`operation ${route.operation.id}: ${(error as Error).message}`, { cause: error });
    }
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Spandrel',
      version: PACKAGE.version,
      description: 'Recording, evaluation and review of LLM applications.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => tagOf(route, features)))],
    paths,
    components: {
      schemas: components.schemas,
      responses: problems.responses,
      headers: HEADERS,
      securitySchemes: usedSchemes(paths),
    },
  };
}

const HEADERS: OpenApiDocument['components']['headers'] = {
  RequestId: {
    description: 'Names the request in the log; that of the caller, when it sent a well-formed one.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds after which to come again.', schema: { type: 'integer', minimum: 0 } },
  Authenticate: { description: 'How to send a credential: `Bearer`.', schema: { type: 'string' } },
  RateLimit: {
    description:
      'What is left of the limit of the organization: `r` requests, all of them after `t` seconds. Cloud mode.',
    schema: { type: 'string', example: '"org";r=99;t=1' },
  },
  RateLimitPolicy: {
    description: 'The limit of the organization: `q` requests in `w` seconds. Cloud mode.',
    schema: { type: 'string', example: '"org";q=100;w=1' },
  },
  Ignored: {
    description:
      'Members of the body that were ignored, with the nearest known names. Ten at most, then `...`; other characters than letters, digits, `_`, `.` and `-` are percent-encoded.',
    schema: { type: 'string', example: 'nam (name?), config.foo' },
  },
  ContentDisposition: { description: 'Names the file.', schema: { type: 'string' } },
};

const SECURITY_SCHEMES: Record<string, OpenApiSchema> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key (`spn_sk_…`) or a JWT. Not needed in local mode.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'An API key or a JWT as the password, with any user name.' },
  key: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'An API key without any scheme.' },
  api_key_header: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key.' },
  token: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'An API key or a JWT, for the event stream alone: browsers cannot send headers there.',
  },
};

function errorsOf(
  route: RouteFacts,
  problems: ProblemResponses,
  components: SchemaComponents,
): OpenApiOperation['responses'] {
  const { protocol } = route.operation;
  if (!protocol) return problems.of(problemsOf(route));
  const { errorAnswer } = protocol;
  return describeThirdPartyProblems(
    problemsOf(route),
    errorAnswer.description,
    mediaOf(errorAnswer, components, 'output'),
  );
}

const tagOf = ({ module }: RouteFacts, features: readonly Feature[]): OpenApiDocument['tags'][number] => {
  const feature = features.find((each) => each.module === module);
  return feature ? (feature.tag ?? { name: feature.name }) : KERNEL_TAG;
};

function securityOf({ operation }: RouteFacts, authenticated: boolean): OpenApiOperation['security'] {
  if (operation.access === 'open' || operation.access === 'anyone') return [];
  const names = operation.protocol?.credentialWays ?? (operation.tokenInQuery ? ['bearer', 'token'] : ['bearer']);
  const ways = names.map((name) => ({ [name]: [] }));
  return authenticated ? ways : [{}, ...ways];
}

function usedSchemes(paths: OpenApiDocument['paths']): Record<string, OpenApiSchema> {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const used = new Set(operations.flatMap(({ security }) => security.flatMap((way) => Object.keys(way))));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

function parametersOf(route: RouteFacts, components: SchemaComponents): { parameters?: OpenApiParameter[] } {
  const parameters = [...pathParameters(route), ...queryParameters(route, components), ...headerParameters(route)];
  return parameters.length > 0 ? { parameters } : {};
}

const pathParameters = ({ path }: RouteFacts): OpenApiParameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name!,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const headerParameters = ({ headers }: RouteFacts): OpenApiParameter[] =>
  headers.map((name) => ({ name, in: 'header', required: false, schema: { type: 'string' } }));

function queryParameters({ query }: RouteFacts, components: SchemaComponents): OpenApiParameter[] {
  if (!query) return [];
  const { properties, required = [] } = components.schemaOf(query, 'input') as {
    properties: Record<string, OpenApiSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description: description as string }),
    // Members of an object are parameters of their own.
    ...(['array', 'object'].includes(String(schema['type'])) && { style: 'form' as const, explode: true }),
    schema,
  }));
}

function requestBodyOf(route: RouteFacts, components: SchemaComponents): Pick<OpenApiOperation, 'requestBody'> {
  const { body, operation } = route;
  if (operation.body) {
    const { description } = operation.body;
    return { requestBody: { description, required: true, content: mediaOf(operation.body, components, 'input') } };
  }
  if (!body) return {};
  const required = !body.safeParse({}).success;
  const content = { 'application/json': { schema: components.schemaOf(body, 'input') } };
  return { requestBody: { required, content } };
}

/** What comes in place of the answer; with the same status it is beside it. */
function otherAnswerOf(route: RouteFacts, components: SchemaComponents): OpenApiOperation['responses'] {
  const { otherAnswer: other, answer } = route.operation;
  if (!other) return {};
  const described = successOf(route, other.answer, components);
  if (other.status !== route.status) return { [other.status]: described };
  const { content } = successOf(route, answer, components);
  return { [other.status]: { ...described, content: { ...content, ...described.content } } };
}

function successOf(
  route: RouteFacts,
  answer: OperationDescription['answer'],
  components: SchemaComponents,
): OpenApiResponse {
  const { operation } = route;
  const headers = {
    ...REQUEST_ID,
    ...(isCounted(operation) && RATE_LIMIT),
    ...(namesIgnored(route) && IGNORED),
  };
  if (answer instanceof z.ZodType) {
    const content = { 'application/json': { schema: components.schemaOf(answer, 'output') } };
    return { description: 'Done.', headers, content };
  }
  return {
    description: answer.description,
    headers: {
      ...headers,
      ...(answer.attachment === true && { 'Content-Disposition': { $ref: '#/components/headers/ContentDisposition' } }),
    },
    content: mediaOf(answer, components, 'output'),
  };
}

const BINARY: OpenApiSchema = { type: 'string', format: 'binary' };
/** JSON that is too large to be described member by member: a file. */
const ANY_JSON: OpenApiSchema = { description: 'JSON.' };
const FORM: OpenApiSchema = { type: 'object', required: ['file'], properties: { file: BINARY } };

function mediaOf(
  { mediaTypes, schema }: MediaDescription,
  components: SchemaComponents,
  side: 'input' | 'output',
): Record<string, OpenApiMedia> {
  const content = (mediaType: string): OpenApiSchema => {
    if (schema) return components.schemaOf(schema, side);
    if (mediaType === 'multipart/form-data') return FORM;
    if (mediaType === 'application/json') return ANY_JSON;
    return mediaType.startsWith('text/') ? { type: 'string' } : BINARY;
  };
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: content(mediaType) }]));
}
