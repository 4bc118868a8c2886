import { z } from 'zod';

/**
 * Every error code of the service with its HTTP status and title (docs/spec/general.md#errors).
 * `docs/errors.md` lists the same codes; a test keeps the two equal.
 */
export const ERRORS = {
  validation_failed: { status: 400, title: 'The request is not valid' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_request: { status: 400, title: 'The request is not valid HTTP' },
  invalid_cursor: { status: 400, title: 'The cursor is not valid' },
  eval_run_not_running: { status: 400, title: 'The eval run is not running' },
  unauthenticated: { status: 401, title: 'Credentials are missing or not valid' },
  insufficient_scope: { status: 403, title: 'The credentials do not allow this' },
  host_not_allowed: { status: 403, title: 'The Host or Origin is not allowed' },
  target_not_allowed: { status: 403, title: 'The forwarding target is not allowed' },
  not_found: { status: 404, title: 'There is nothing here' },
  trace_not_found: { status: 404, title: 'The trace does not exist' },
  span_not_found: { status: 404, title: 'The span does not exist' },
  session_not_found: { status: 404, title: 'The session does not exist' },
  dataset_not_found: { status: 404, title: 'The dataset does not exist' },
  datapoint_not_found: { status: 404, title: 'The datapoint does not exist' },
  capture_rule_not_found: { status: 404, title: 'The capture rule does not exist' },
  connection_not_found: { status: 404, title: 'The provider connection does not exist' },
  eval_run_not_found: { status: 404, title: 'The eval run does not exist' },
  organization_not_found: { status: 404, title: 'The organization does not exist' },
  project_not_found: { status: 404, title: 'The project does not exist' },
  key_not_found: { status: 404, title: 'The API key does not exist' },
  queue_item_not_found: { status: 404, title: 'The queue item does not exist' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  id_conflict: { status: 409, title: 'The id is taken by another object' },
  span_already_finished: { status: 409, title: 'The span is already finished' },
  queue_item_already_claimed: { status: 409, title: 'The queue item is already claimed' },
  queue_item_not_claimed: { status: 409, title: 'The queue item is not claimed' },
  queue_item_completed: { status: 409, title: 'The queue item is completed' },
  connection_in_use: { status: 409, title: 'The provider connection is in use' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'Something went wrong' },
  search_not_available: { status: 501, title: 'Search is not set up' },
  bad_gateway: { status: 502, title: 'The upstream did not answer' },
  unavailable: { status: 503, title: 'The service is not available right now' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One fault of a request: where (dotted path from the root of the body or query) and what. */
const fieldErrorSchema = z
  .object({
    path: z.string().describe('From the root of the body or query: `spans[3].kind.model`.'),
    message: z.string(),
  })
  .meta({ id: 'FieldError' });
export type FieldError = z.output<typeof fieldErrorSchema>;

/** An error answer, RFC 9457 `application/problem+json`. */
export const problemSchema = z
  .object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.number().int().min(400).max(599),
    detail: z.string().describe('One sentence for people; may change.'),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).describe('Stable; programs decide by it.'),
    request_id: z.string().describe('Also in the header `X-Request-Id` and in the log of the server.'),
    errors: z
      .array(fieldErrorSchema)
      .exactOptional()
      .describe('One entry a fault; with `validation_failed` above all.'),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });
export type Problem = z.output<typeof problemSchema>;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/**
 * The problem for an error code.
 * @param detail one sentence for the caller; no secret, path, SQL or stack.
 */
export function problem(code: ErrorCode, detail: string, requestId: string, errors?: FieldError[]): Problem {
  const { status, title } = ERRORS[code];
  return {
    type: 'about:blank',
    title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(errors && { errors }),
  };
}

/** The faults of a zod error as the wire shows them. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.map((issue) => ({ path: dottedPath(issue.path), message: issue.message }));
}

/** `['spans', 3, 'kind', 'model']` → `spans[3].kind.model`. */
export function dottedPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (dotted, key) =>
      typeof key === 'number' ? `${dotted}[${key}]` : dotted === '' ? String(key) : `${dotted}.${String(key)}`,
    '',
  );
}
