import { ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';

/** The provider confirmed somebody else than it was asked about. */
export class OtherPerson extends Error {}

/**
 * Whether the provider answered, and does not confirm the person: `invalid_grant`, or an access token that is no more. One
 * that has too many requests (429) says nothing of the person.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof OtherPerson ||
  (error instanceof ResponseBodyError &&
    error.status < 500 &&
    error.status !== 429 &&
    error.error !== 'temporarily_unavailable') ||
  (error instanceof WWWAuthenticateChallengeError && error.status === 401);
