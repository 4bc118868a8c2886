import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends a connection in the middle of an answer, after what has been written to it, so that the client sees that the
 * rest is missing.
 */
export function breakConnection(socket: Socket, { httpVersionMinor }: Pick<IncomingMessage, 'httpVersionMinor'>): void {
  // In HTTP/1.0 the end of the connection is the end of the answer: only a reset can tell.
  if (httpVersionMinor === 0) setImmediate(() => socket.resetAndDestroy());
  else socket.destroySoon();
}
