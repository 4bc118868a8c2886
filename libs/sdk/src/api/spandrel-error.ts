import { retryAfterMs as retryAfterOf } from '../delivery/backoff.js';
import type { FieldError, Problem } from './schema.js';

/**
 * What went wrong, for programs: a code of the API (docs/errors.md), or one of the client itself: `unreachable` when no
 * answer came (status 0), `unexpected_answer` when it was not the API's.
 */
export type SpandrelErrorCode = Problem['code'] | 'unreachable' | 'unexpected_answer' | (string & {});

/** The facts of a {@link SpandrelError}. */
export interface SpandrelErrorFacts {
  status: number;
  code: SpandrelErrorCode;
  detail: string;
  requestId?: string | undefined;
  errors?: FieldError[] | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** A call of the API that failed. */
export class SpandrelError extends Error {
  override readonly name = 'SpandrelError';
  /** HTTP status of the answer; 0 when none came. */
  readonly status: number;
  /** Stable; programs decide by it. */
  readonly code: SpandrelErrorCode;
  /** One sentence for people; may change. */
  readonly detail: string;
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined;
  /** One entry for each fault in what was sent; empty unless the code is `validation_failed`. */
  readonly errors: readonly FieldError[];
  /** How long the server asks to wait; undefined where it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, code, detail, requestId, errors = [], retryAfterMs, cause }: SpandrelErrorFacts) {
    const faults = errors.map(({ path, message }) => `${path}: ${message}`).filter((fault) => !detail.includes(fault));
    super([`${detail} (${code}${status > 0 ? `, ${status}` : ''})`, ...faults].join('\n'), { cause });
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.requestId = requestId;
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
  }
}

/** @returns the error that an answer tells, whoever gave it. @param text the body of the answer. */
export function errorOfAnswer({ status, headers }: Response, text: string): SpandrelError {
  const problem = problemOf(text);
  const requestId = headers.get('x-request-id') ?? problem?.request_id;
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), Date.now()) || undefined;
  if (problem) {
    const { code, detail = problem.title ?? code, errors } = problem;
    return new SpandrelError({ status, code, detail, requestId, errors, retryAfterMs });
  }
  const location = headers.get('location');
  const said = location === null ? text.replace(/\s+/g, ' ').slice(0, SAID_CHARACTERS) : `redirects to ${location}`;
  const detail = `HTTP ${status} is not an answer of the API: ${said || 'no body'}`;
  return new SpandrelError({ status, code: 'unexpected_answer', detail, requestId, retryAfterMs });
}

/** How much of an answer that is no problem stands in the error. */
const SAID_CHARACTERS = 200;

function problemOf(text: string): (Partial<Problem> & { code: string }) | undefined {
  try {
    const body = JSON.parse(text) as Partial<Problem> | null;
    return typeof body?.code === 'string' ? (body as Partial<Problem> & { code: string }) : undefined;
  } catch {
    return undefined;
  }
}
