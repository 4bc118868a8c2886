import { Unavailable } from '@spandrel/kernel';

/** SQLite result codes after which asking again later may help: nothing of the transaction was kept. */
const SQLITE_UNAVAILABLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL|CORRUPT|NOTADB)/;

/** Postgres classes: connection (08), resources (53), operator intervention (57P), system error (58). */
const POSTGRES_UNAVAILABLE = /^(08...|53...|57P..|58...|25006)$/;

/** Serialization failure and deadlock; and a key taken by another instance since it was looked up. */
const POSTGRES_CONFLICT = new Set(['40001', '40P01']);
const POSTGRES_TRANSIENT = new Set([...POSTGRES_CONFLICT, '23505']);

/** Statement cancelled (its timeout, or by hand), lock not had in time, transaction idle or open for too long. */
const POSTGRES_TIMEOUT = new Set(['57014', '55P03', '25P03', '25P04']);

/** A standby, such as the primary of a moment ago, and a server with all connections taken. */
const POSTGRES_ELSEWHERE = new Set(['25006', '53300']);

const CONNECTION_LOST =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed|Query read timeout/;
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);

const codeOf = (error: unknown): string => {
  const code = Error.isError(error) && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
};

/** The database cannot be reached (any more); whether a commit under way was done is unknown. */
export const isConnectionLost = (error: unknown): boolean =>
  Error.isError(error) &&
  (SOCKET_ERRORS.has(codeOf(error)) ||
    /^(08...|57P0[123])$/.test(codeOf(error)) ||
    CONNECTION_LOST.test(error.message));

/** A new connection, a little later, may find the database again, perhaps on another server; nothing was committed. */
export const isAway = (error: unknown): boolean => isConnectionLost(error) || POSTGRES_ELSEWHERE.has(codeOf(error));

/** Whether the transaction may succeed when it is tried again at once. */
export const isTransient = (error: unknown): boolean => POSTGRES_TRANSIENT.has(codeOf(error));

/** Whether a statement took longer than it may, which says nothing of the database's health. */
export const isTimeout = (error: unknown): boolean => POSTGRES_TIMEOUT.has(codeOf(error));

/** Whether other transactions were in the way, which says nothing of the database's health. */
const isConflict = (error: unknown): boolean => POSTGRES_CONFLICT.has(codeOf(error));

/** Whether the database failed and not the request: disk full, I/O error, connection lost, too slow. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Unavailable ||
  isConnectionLost(error) ||
  isTimeout(error) ||
  SQLITE_UNAVAILABLE.test(codeOf(error)) ||
  POSTGRES_UNAVAILABLE.test(codeOf(error));

/** Turns errors of a database that cannot be used, and lasting conflicts, into {@link Unavailable}; no other error. */
export function toDomainError(error: unknown): unknown {
  if (error instanceof Unavailable) return error;
  const reason = reasonOf(error);
  return reason === undefined ? error : new Unavailable(reason, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  if (isConflict(error)) return 'others changed the same data each time this was tried; try again soon';
  if (isTimeout(error)) return 'the database took too long and was stopped; ask for less at once, or try again';
  if (isUnavailable(error)) return 'the database cannot be reached, or its disk is full or failed; try again soon';
  return undefined;
}
