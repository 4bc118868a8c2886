import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** An upstream that closes connections as idle when nobody expects it, and counts what it has executed. */
export interface ClosingUpstream {
  url: string;
  /** How often it has executed the request with each `x-call`. */
  executed: Map<string, number>;
  /** Idle connections that it has closed. */
  closed: number;
  close(): Promise<void>;
}

/**
 * Nothing in its answers says that it closes connections: no `Keep-Alive`, no `Connection: close`.
 * @param random as of `test/support/random.ts`; it decides which connections are closed when, and how.
 * @param secure key and certificate, where it speaks TLS.
 */
export async function startClosingUpstream(
  random: (n: number) => number,
  secure?: { key: string; cert: string },
): Promise<ClosingUpstream> {
  const executed = new Map<string, number>();
  const busy = new WeakSet<Socket>();
  let closed = 0;

  const closeIfIdle = (socket: Socket): void => {
    if (busy.has(socket) || socket.destroyed) return;
    closed++;
    if (!secure && random(3) === 0) socket.resetAndDestroy();
    else socket.destroy();
  };
  const closeSometime = (socket: Socket): void => {
    const when = random(10);
    if (when === 0) process.nextTick(closeIfIdle, socket);
    else if (when === 1) setImmediate(closeIfIdle, socket);
    else if (when < 5) setTimeout(closeIfIdle, random(5), socket);
  };
  const answer: RequestListener = (req, res) => {
    const { socket } = req;
    busy.add(socket);
    req.resume().on('end', () => {
      const call = String(req.headers['x-call']);
      executed.set(call, (executed.get(call) ?? 0) + 1);
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ model: 'm', choices: [{ message: { content: call }, finish_reason: 'stop' }] }), () => {
        busy.delete(socket);
        closeSometime(socket);
      });
    });
  };
  const server = secure ? https.createServer(secure, answer) : http.createServer(answer);
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: secure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    executed,
    get closed() {
      return closed;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
