import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What clients get to end their requests once the server stops: less than the stop as a whole may take. */
const DRAIN_MS = 8_000;
const SWEEP_MS = 50;

/** How the clients of a server are seen off. */
export interface HttpDrain {
  /** Serves as before, but lets each answer end its connection: clients that keep connections open go elsewhere. */
  begin(): void;
  /** Ends connections without a request at once, and all others when {@link DRAIN_MS} are over. */
  stop(): Promise<void>;
}

/**
 * Watches the connections of a server, so that its stop waits for requests under way alone: to Node, a connection that
 * has sent nothing is busy. @param close stops the listener and waits for its connections.
 */
export function drainHttp(server: Server, close: () => Promise<void>): HttpDrain {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const sweep = (): void => {
    server.closeIdleConnections();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  const begin = (): void => {
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      response.setHeader('connection', 'close');
    });
  };
  const stop = async (): Promise<void> => {
    const sweeps = setInterval(sweep, SWEEP_MS);
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    try {
      await close();
    } finally {
      clearInterval(sweeps);
      clearTimeout(deadline);
    }
  };
  return { begin, stop };
}
