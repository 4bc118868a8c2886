import { types } from 'node:util';

/** What a connection says whose other end, or the network between, has gone. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/** What Node's `EventEmitter` leaves on the error of an `error` event that it throws because nobody listens. */
const UNHEARD_EVENT = 'kEnhanceStackBeforeInspector';

type SocketError = Error & { code?: unknown; syscall?: unknown; errno?: unknown };

/**
 * Whether an uncaught exception is the end of a connection that nobody listened to (docs/adr/0053-uncaught-socket-errors.md):
 * a stream of the system failed because the other end or the network has gone, and was emitted as `error` without a listener.
 * @param origin as `uncaughtException` reports it; a promise that rejects belongs to somebody.
 */
export function isLostConnection(error: unknown, origin: NodeJS.UncaughtExceptionOrigin): boolean {
  if (origin !== 'uncaughtException' || !types.isNativeError(error)) return false;
  const { code, syscall, errno, message } = error as SocketError;
  return (
    typeof code === 'string' &&
    LOST.has(code) &&
    (syscall === 'read' || syscall === 'write') &&
    typeof errno === 'number' &&
    message.startsWith(`${syscall} ${code}`) &&
    Object.getOwnPropertySymbols(error).some(({ description }) => description === UNHEARD_EVENT)
  );
}

/** How many connections this thread has lost that nobody listened to. */
export const lostConnections = { count: 0 };
