import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isStreamed } from '../streamed-body.js';

/** When a body counts as too slow, in milliseconds. */
export interface ArrivalLimits {
  /** A body that is read whole must have arrived by then. */
  wholeMs: number;
  /** A body that is read as a stream may take as long as bytes keep coming: a gap may be so long. */
  gapMs: number;
  /** How often late ones are looked for. */
  sweepMs: number;
}

const LIMITS: ArrivalLimits = { wholeMs: 120_000, gapMs: 60_000, sweepMs: 5_000 };

/** What Node says of a request that takes too long: answered 408 as if Node had found out. */
const tooSlow = (): Error => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/**
 * Ends requests whose body comes too slowly, whichever way it is read: Node knows one limit for all of them, which
 * would also end large uploads over slow lines. Heads have Node's own limit (`headersTimeout`, a minute).
 */
export function limitArrival(fastify: FastifyInstance, limits: ArrivalLimits = LIMITS): void {
  const arriving = new Map<IncomingMessage, number>();
  const late = ({ socket }: IncomingMessage): void => void fastify.server.emit('clientError', tooSlow(), socket);
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isStreamed(request)) watchGaps(request.raw, limits.gapMs, late);
    else if (bringsBody(request)) arriving.set(request.raw, performance.now());
    done();
  });
  const arrived = (request: FastifyRequest, done: () => void): void => {
    arriving.delete(request.raw);
    done();
  };
  fastify.addHook('preValidation', (request, _reply, done) => arrived(request, done));
  fastify.addHook('onResponse', (request, _reply, done) => arrived(request, done));
  const sweeps = setInterval(() => {
    const before = performance.now() - limits.wholeMs;
    // In the order in which they began.
    for (const [request, since] of arriving) {
      if (since > before) break;
      arriving.delete(request);
      late(request);
    }
  }, limits.sweepMs).unref();
  fastify.addHook('onClose', async () => clearInterval(sweeps));
}

const bringsBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function watchGaps(request: IncomingMessage, gapMs: number, late: (request: IncomingMessage) => void): void {
  const { socket } = request;
  const over = (): void => void socket.setTimeout(0);
  socket.setTimeout(gapMs);
  request.once('timeout', () => late(request));
  request.once('end', over);
  request.once('close', over);
}
