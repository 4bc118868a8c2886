import type { FieldError, Problem } from './schema.js';

/**
 * What went wrong, for programs: a code of the API (docs/errors.md), or one of the client itself: `unreachable` when no
 * answer came (status 0), `unexpected_answer` when it was not the API's.
 */
export type SpandrelErrorCode = Problem['code'] | 'unreachable' | 'unexpected_answer' | (string & {});

export interface SpandrelErrorFacts {
  status: number;
  code: SpandrelErrorCode;
  detail: string;
  requestId?: string | undefined;
  errors?: FieldError[] | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** By which errors of another copy of the package are known: of the one for CommonJS beside the one of ES modules. */
const BRAND = Symbol.for('@spandrel/sdk error 1');

/** A call of the API that failed. */
export class SpandrelError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  /** @internal */
  get [BRAND](): true {
    return true;
  }
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
