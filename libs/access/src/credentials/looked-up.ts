import { Unavailable, withinMs } from '@spandrel/kernel';

/**
 * How long what was found out about a credential is relied upon. What is revoked must be refused everywhere within a
 * second (docs/spec/access.md#how-fast-a-change-of-access-counts), also where an open stream has to be noticed first.
 */
export const REMEMBERED_MS = 500;
export const REMEMBERED_MAX = 20_000;

/** How long a request may wait to be let in when the database is silent. */
const LOOKED_UP_MS_MAX = 3_000;

/** Waits for what lets a request in. @throws Unavailable when it takes too long. */
export function inTime<T>(lookUp: Promise<T>): Promise<T> {
  return withinMs(LOOKED_UP_MS_MAX, lookUp, () => {
    throw new Unavailable('the credential could not be checked: the database did not answer');
  });
}
