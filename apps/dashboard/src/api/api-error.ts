import type { ErrorCode } from '@spandrel/contract/browser';
import type { FieldError, Problem } from '@spandrel/contract';

/** What a call can end with beside the codes of the service: no answer at all, and an answer that is no JSON. */
export type CallFault = ErrorCode | 'unreachable' | 'unreadable_answer';

export interface ApiErrorFacts {
  /** HTTP status; 0 where no answer came. */
  status: number;
  code: CallFault;
  /** One sentence for people. */
  detail: string;
  requestId: string | null;
  errors: readonly FieldError[];
  /** Milliseconds the service asked to wait for, from `Retry-After`. */
  retryAfterMs: number | null;
}

/** The one error that calls of the API reject with, apart from the caller's own abort. */
export class ApiError extends Error implements ApiErrorFacts {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: CallFault;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: readonly FieldError[];
  readonly retryAfterMs: number | null;

  constructor(facts: ApiErrorFacts) {
    super(facts.detail);
    this.status = facts.status;
    this.code = facts.code;
    this.detail = facts.detail;
    this.requestId = facts.requestId;
    this.errors = facts.errors;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Whether the service said that the object asked for does not exist, or belongs to another project. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/**
 * The error for an answer that is not a success.
 * @param body the answer as JSON; anything else than a problem is taken for an answer of something in between.
 */
export function errorOfAnswer(status: number, body: unknown, headers: Pick<Headers, 'get'>): ApiError {
  const problem = isProblem(body) ? body : null;
  return new ApiError({
    status,
    code: problem?.code ?? 'unreadable_answer',
    detail: problem?.detail ?? `The server answered with status ${status} and gave no reason.`,
    requestId: problem?.request_id ?? headers.get('x-request-id'),
    errors: problem?.errors ?? [],
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  });
}

/** The error for a request that got no answer. */
export function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    code: 'unreachable',
    detail: 'The server did not answer. Is it running?',
    requestId: null,
    errors: [],
    retryAfterMs: null,
  });
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}

/** `Retry-After` in whole seconds; the service sends no dates. */
function retryAfterMs(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}
