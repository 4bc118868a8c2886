import type { ErrorCode, FieldError } from '@spandrel/contract';

/** An error of the domain. `message` goes to the caller: one sentence without secrets, SQL, paths or stacks. */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions & { errors?: FieldError[]; retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.errors = options?.errors;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }

  /** One entry a fault: of validation, or of many things asked for at once. */
  readonly errors: FieldError[] | undefined;
  /** For `rate_limited` and `unavailable`: when to come again. */
  readonly retryAfterSeconds: number | undefined;
}

type CodeWith<Status extends number> = {
  [Code in ErrorCode]: (typeof import('@spandrel/contract').ERRORS)[Code]['status'] extends Status ? Code : never;
}[ErrorCode];

/** What is asked for does not exist, or belongs to another project. */
export class NotFound extends DomainError {
  override readonly name = 'NotFound';
  /** @param errors one entry each, where a request names many. */
  constructor(code: CodeWith<404>, message: string, errors?: FieldError[]) {
    super(code, message, errors && { errors });
  }
}

export class Conflict extends DomainError {
  override readonly name = 'Conflict';
  constructor(code: CodeWith<409>, message: string) {
    super(code, message);
  }
}

export class Invalid extends DomainError {
  override readonly name = 'Invalid';
  constructor(code: CodeWith<400 | 413 | 415>, message: string, errors?: FieldError[]) {
    super(code, message, errors && { errors });
  }
}

/** What was shown is no credential, which may have been a guess. One that was valid once is none of these. */
export class WrongCredential extends DomainError {
  override readonly name = 'WrongCredential';
  constructor(message: string) {
    super('unauthenticated', message);
  }
}

/** Nothing is wrong with the request, but it cannot be done now; asking again later may help. */
export class Unavailable extends DomainError {
  override readonly name = 'Unavailable';
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, { ...options, retryAfterSeconds: 1 });
  }
}

/** The start is refused: one line a fault, fit to be printed as it is. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}
