import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What clients get to end their requests once the server stops: less than the stop as a whole may take. */
const DRAIN_MS = 8_000;
const SWEEP_MS = 50;

/**
 * Watches the connections of a server, so that its stop waits for requests under way and for nothing else: Node takes a
 * connection that has sent nothing for a busy one, and would wait for the client of a half-sent request for ever.
 * @param close stops the listener and waits for its connections.
 * @returns the same, but it ends connections without a request at once, and all others when {@link DRAIN_MS} are over.
 */
export function drainHttp(server: Server, close: () => Promise<void>): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const sweep = (): void => {
    server.closeIdleConnections();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  return async () => {
    const sweeps = setInterval(sweep, SWEEP_MS);
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    try {
      await close();
    } finally {
      clearInterval(sweeps);
      clearTimeout(deadline);
    }
  };
}
