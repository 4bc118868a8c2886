import type { ErrorCode, Problem } from '@spandrel/contract';

/**
 * Whether the API says in an error that no credential matches, or that too many from here did not. A proxy before it may answer
 * 401 and 429 too, which says nothing about the credential.
 */
export function isWrongCredential(problem: unknown): boolean {
  const code = (problem as Partial<Problem> | null | undefined)?.code;
  return (
    code === ('unauthenticated' satisfies ErrorCode) || code === ('too_many_wrong_credentials' satisfies ErrorCode)
  );
}
