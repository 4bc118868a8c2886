import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '@spandrel/http';

export interface Reviewer {
  /** What `claimed_by` has. */
  readonly id: string;
  /** What people call them; `null` where nobody knows. */
  readonly name: string | null;
}

export interface CallerAsReviewer extends Reviewer {
  /** Whether the server knows who it is; nobody signs in in local mode. */
  readonly isSignedIn: boolean;
}

/**
 * Who makes the request, as the reviewer when the body names nobody (docs/spec/queue.md#who-claims): the id of the API
 * key or the person with its name, or the `sub` of the JWT. Local mode knows no logins: everybody is `local`.
 */
export const CallingReviewer = createParamDecorator((_data: unknown, context: ExecutionContext): CallerAsReviewer => {
  const { caller } = context.switchToHttp().getRequest<{ caller?: Caller }>();
  return { id: caller?.id ?? 'local', name: caller?.label ?? null, isSignedIn: caller !== undefined };
});

/** The reviewer that a body names, else the caller: of others nobody knows more than what the body says. */
export const reviewerOf = (named: string | null | undefined, caller: Reviewer): Reviewer =>
  named === null || named === undefined || named === caller.id ? caller : { id: named, name: null };

/** Who reads: where nobody signs in the reviewer that the query names (docs/spec/queue.md#blind-reviews). */
export const readerOf = (named: string | undefined, caller: CallerAsReviewer): Reviewer =>
  caller.isSignedIn ? caller : reviewerOf(named, caller);
