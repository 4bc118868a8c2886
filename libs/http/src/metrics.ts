import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Methods that labels name; all others are `other`, since callers may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The route of requests that none matched, as labels and the log name it. */
export const UNMATCHED = 'unmatched';

export interface EndedRequest {
  method: string;
  /** The pattern of the route, never a path. */
  route: string;
  status: number;
  /** The client left before the answer was whole. */
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
