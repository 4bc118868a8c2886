import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isStreamedRoute } from '../request-bodies.js';

/** When a body counts as too slow, in milliseconds. */
export interface ArrivalLimits {
  /** A body that is read whole must have arrived by then. */
  wholeMs: number;
  /** A body that is read as a stream may take as long as bytes keep coming: a gap may be so long. */
  gapMs: number;
  sweepMs: number;
}

/** The limits of both listeners (docs/reliability.md). */
export const ARRIVAL_LIMITS: ArrivalLimits = { wholeMs: 120_000, gapMs: 60_000, sweepMs: 5_000 };

/** What Node says of a request that takes too long: answered 408 as if Node had found out. */
const tooSlow = (): Error => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** The last request of a connection that brings a body to be read whole: no other one's can be arriving. */
interface Arriving {
  request: IncomingMessage;
  answer: ServerResponse;
  since: number;
}

/** Ends requests whose body comes too slowly: Node's one limit for all would also end large uploads over slow lines. */
export function limitArrival(fastify: FastifyInstance, limits: ArrivalLimits = ARRIVAL_LIMITS): void {
  const connections = new Map<Socket, Arriving | undefined>();
  const late = ({ socket }: IncomingMessage): void => void fastify.server.emit('clientError', tooSlow(), socket);
  fastify.server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  fastify.addHook('onRequest', ({ raw, routeOptions }, reply, done) => {
    if (isStreamedRoute(routeOptions)) watchGaps(raw, limits.gapMs, late);
    else if (!raw.complete && bringsBody(raw)) began(raw, reply.raw);
    done();
  });
  const began = (request: IncomingMessage, answer: ServerResponse): void => {
    const { socket } = request;
    if (connections.has(socket)) connections.set(socket, { request, answer, since: performance.now() });
  };
  const sweeps = setInterval(() => {
    const before = performance.now() - limits.wholeMs;
    for (const [socket, last] of connections) {
      if (!last || last.since > before) continue;
      connections.set(socket, undefined);
      if (!last.request.complete && !last.answer.writableFinished) late(last.request);
    }
  }, limits.sweepMs).unref();
  fastify.addHook('onClose', async () => clearInterval(sweeps));
}

const bringsBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function watchGaps(request: IncomingMessage, gapMs: number, late: (request: IncomingMessage) => void): void {
  const { socket } = request;
  const over = (): void => void socket.setTimeout(0);
  socket.setTimeout(gapMs);
  request.on('timeout', () => {
    // What has come and is not read yet, a slow disk keeps waiting, not the client.
    if (request.readableLength === 0) late(request);
    else socket.setTimeout(gapMs);
  });
  request.once('end', over);
  request.once('close', over);
}
