import { isCounted } from '../operation.js';
import { ERRORS, PROBLEM_MEDIA_TYPE, problem, type ErrorCode } from '@spandrel/contract';
import { objectOf } from '@spandrel/kernel';
import { IGNORED_HEADER } from '../names/unknown-names.js';
import type { RouteFacts } from './find-routes.js';
import type { OpenApiReference, OpenApiResponse } from './schema-components.js';

/** Headers of every answer, and of those to requests that are counted. */
export const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
export const RATE_LIMIT = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};
/** Header of answers to requests with a JSON body. */
export const IGNORED = { [IGNORED_HEADER]: { $ref: '#/components/headers/Ignored' } };
const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

const HEADERS_OF_STATUS: Readonly<Record<number, OpenApiResponse['headers']>> = {
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/Authenticate' } },
  429: { ...RETRY_AFTER, ...RATE_LIMIT },
  503: RETRY_AFTER,
};

/** Every error a route may answer: its own, and those that its kind of route always has. */
export function problemsOf({ method, operation, query, notFound }: RouteFacts): ErrorCode[] {
  const open = operation.access === 'open' || operation.access === 'anyone';
  const reads = method === 'get';
  return [
    'validation_failed',
    'malformed_request',
    'host_not_allowed',
    'headers_too_large',
    'internal',
    'unavailable',
    'texts_unavailable',
    ...pick(!open, 'unauthenticated', 'insufficient_scope', 'too_many_wrong_credentials'),
    ...pick(isCounted(operation), 'rate_limited'),
    ...pick(query !== undefined && 'cursor' in (objectOf(query)?.shape ?? {}), 'invalid_cursor'),
    ...pick(!reads, 'request_timeout', 'payload_too_large', 'unsupported_media_type'),
    ...pick(!reads && operation.body === undefined, 'malformed_json'),
    ...notFound,
    ...(operation.problems ?? []),
  ];
}

const pick = (holds: boolean, ...codes: ErrorCode[]): ErrorCode[] => (holds ? codes : []);

export function describeThirdPartyProblems(
  codes: readonly ErrorCode[],
  description: string,
  content: OpenApiResponse['content'] & {},
): Record<string, OpenApiResponse> {
  const statuses = new Set(codes.map((code) => ERRORS[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      { description, headers: { ...REQUEST_ID, ...HEADERS_OF_STATUS[status] }, content },
    ]),
  );
}

/** The error answers of routes; routes with the same errors of a status share one component. */
export class ProblemResponses {
  readonly responses: Record<string, OpenApiResponse> = {};

  of(codes: readonly ErrorCode[]): Record<string, OpenApiReference> {
    const inOrder = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.includes(code));
    const byStatus = Map.groupBy(inOrder, (code) => ERRORS[code].status);
    return Object.fromEntries([...byStatus].map(([status, some]) => [status, this.response(status, some)]));
  }

  private response(status: number, codes: ErrorCode[]): OpenApiReference {
    const name = codes.map(pascalCase).join('.');
    this.responses[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n\n'),
      headers: { ...REQUEST_ID, ...HEADERS_OF_STATUS[status] },
      content: {
        [PROBLEM_MEDIA_TYPE]: {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              {
                type: 'object',
                properties: {
                  status: { type: 'integer', enum: [status] },
                  code: { type: 'string', enum: codes },
                },
              },
            ],
          },
          example: problem(codes[0]!, 'one sentence on what is wrong', '01KAHZ4Q6X8M2V7N3R5T9W1Y0B'),
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }
}

const pascalCase = (code: string): string =>
  code.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
