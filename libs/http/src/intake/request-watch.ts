import type { Socket } from 'node:net';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientAddresses } from '@spandrel/kernel';
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { logMs, pathOf, type AccessLog } from '../access-log.js';
import type { RefusedBytes } from './malformed-http.js';

/** Marks a route whose answer is a stream of events that lasts as long as its client likes. */
export const EventStreamRoute = (): MethodDecorator => RouteConfig({ eventStream: true });

/** Routes that programs ask all the time: their lines are `debug`. */
const QUIET: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics', '/api/health']);

/** What clients get that left before an answer began, in the log alone. */
const CLIENT_GONE = 499;

interface Beginning {
  route: string;
  isStream: boolean;
  /** When it began, on the clock of `performance.now()`. */
  startedAt: number;
  remoteAddress: string | undefined;
}

/** Sees every request from its head to the end of its answer: for metrics and for the access log. */
export class RequestWatch {
  /** What is to end with a connection. One listener on each: a client may send any number of requests at once. */
  private readonly ends = new WeakMap<Socket, Set<() => void>>();

  constructor(
    private readonly metrics: HttpMetrics,
    private readonly addresses: ClientAddresses,
    private readonly log: AccessLog | undefined,
  ) {}

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now();
    const { url, config } = request.routeOptions;
    const route = url ?? UNMATCHED;
    const isStream = (config as { eventStream?: boolean } | undefined)?.eventStream === true;
    if (!isStream) this.metrics.began();
    // Known for as long as the connection is there.
    const remoteAddress = this.log && this.addresses.of(request.raw);
    const answer = reply.raw;
    // A pipelined request, whose answer waits for the one before it: only the connection says that its client is gone.
    const pipelined = answer.socket === null ? request.raw.socket : undefined;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      if (pipelined) this.ends.get(pipelined)?.delete(end);
      this.end(request, reply, { route, isStream, startedAt, remoteAddress });
    };
    answer.once('close', end);
    if (pipelined) this.endWith(pipelined, end);
  }

  private endWith(socket: Socket, end: () => void): void {
    let ends = this.ends.get(socket);
    if (!ends) {
      const all = (ends = new Set());
      this.ends.set(socket, all);
      socket.once('close', () => all.forEach((each) => each()));
    }
    ends.add(end);
  }

  malformed({ id, status }: RefusedBytes, socket: Socket): void {
    this.metrics.malformed(status);
    this.log?.request({ request_id: id, route: UNMATCHED, status, remote_address: socket.remoteAddress }, false);
  }

  private end(
    request: FastifyRequest,
    reply: FastifyReply,
    { route, isStream, startedAt, remoteAddress }: Beginning,
  ): void {
    const answer = reply.raw;
    const ms = performance.now() - startedAt;
    const aborted = !answer.writableFinished;
    const status = aborted && !answer.headersSent ? CLIENT_GONE : answer.statusCode;
    const { method } = request;
    this.metrics.ended({ method, route, status, aborted, isStream, seconds: ms / 1_000 });
    if (!this.log) return;
    const isWholeStream = isStream && status === 200;
    this.log.request(
      {
        request_id: request.id,
        method,
        route,
        path: route === UNMATCHED ? undefined : pathOf(route, (request.params ?? {}) as Record<string, unknown>),
        status,
        duration_ms: logMs(ms),
        bytes_in: lengthOf(request.headers['content-length']),
        bytes_out: lengthOf(reply.getHeader('content-length')),
        remote_address: remoteAddress,
        stream: isWholeStream ? true : undefined,
        aborted: aborted && !isWholeStream ? true : undefined,
      },
      QUIET.has(route),
    );
  }
}

function lengthOf(header: number | string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const length = Number(header);
  return Number.isSafeInteger(length) ? length : undefined;
}

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Methods that labels name; all others are `other`, since callers may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The route of requests that none matched, as labels and the log name it. */
const UNMATCHED = 'unmatched';

interface EndedRequest {
  method: string;
  route: string;
  status: number;
  aborted: boolean;
  /** An event stream: it lasts as long as its client likes, so that its duration is no latency. */
  isStream: boolean;
  seconds: number;
}

const STATUS_CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'];
const ABORTED = 'aborted';
const classOf = (status: number): string => STATUS_CLASSES[(status / 100) | 0] ?? 'none';

/** Metrics of the requests of a server. Labels are routes of this program, never what callers send. */
export class HttpMetrics {
  private readonly requests;
  private readonly duration;
  private readonly inFlight;

  constructor(registry: Registry) {
    const registers = [registry];
    this.requests = new Counter({
      name: 'spandrel_http_requests_total',
      help: 'Requests answered or given up by their clients, by method, route and status class.',
      labelNames: ['method', 'route', 'status_class'] as const,
      registers,
    });
    this.duration = new Histogram({
      name: 'spandrel_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer; without event streams.',
      labelNames: ['method', 'route'] as const,
      buckets: LATENCY_SECONDS,
      registers,
    });
    this.inFlight = new Gauge({
      name: 'spandrel_http_requests_in_flight',
      help: 'Requests not yet answered; without event streams.',
      registers,
    });
  }

  /** A request has come whose answer is no event stream. {@link ended} takes it back. */
  began(): void {
    this.inFlight.inc();
  }

  ended({ method: given, route, status, aborted, isStream, seconds }: EndedRequest): void {
    const method = METHODS.has(given) ? given : 'other';
    this.requests.inc({ method, route, status_class: aborted && !isStream ? ABORTED : classOf(status) });
    if (isStream) return;
    this.inFlight.dec();
    this.duration.observe({ method, route }, seconds);
  }

  malformed(status: number): void {
    this.requests.inc({ method: 'other', route: UNMATCHED, status_class: classOf(status) });
  }
}
