import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Methods that labels name; all others are `other`, since callers may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The route of requests that none matched, as labels and the log name it. */
export const UNMATCHED = 'unmatched';

/** What became of a request, as far as metrics distinguish it. */
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

/** Requests counted since the metrics were last read: counting here costs a fraction of what a counter's own does. */
interface Count {
  counter: Counter.Internal;
  pending: number;
}

const STATUS_CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'];
const ABORTED = 'aborted';
const classOf = (status: number): string => STATUS_CLASSES[(status / 100) | 0] ?? 'none';

interface Series {
  /** Counts by status class. */
  counts: Map<string, Count>;
  duration: Histogram.Internal<never>;
}

/** Metrics of the requests of a server. Labels are routes of this program, never what callers send. */
export class HttpMetrics {
  private readonly requests;
  private readonly duration;
  /** Series by route and method: looking up a label set costs more than all the rest. */
  private readonly series = new Map<string, Map<string, Series>>();
  private readonly counts: Count[] = [];
  private inFlight = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    const { counts } = this;
    this.requests = new Counter({
      name: 'spandrel_http_requests_total',
      help: 'Requests answered or given up by their clients, by method, route and status class.',
      labelNames: ['method', 'route', 'status_class'] as const,
      registers,
      collect() {
        for (const count of counts) {
          if (count.pending > 0) count.counter.inc(count.pending);
          count.pending = 0;
        }
      },
    });
    this.duration = new Histogram({
      name: 'spandrel_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer; without event streams.',
      labelNames: ['method', 'route'] as const,
      buckets: LATENCY_SECONDS,
      registers,
    });
    const inFlight = (): number => this.inFlight;
    new Gauge({
      name: 'spandrel_http_requests_in_flight',
      help: 'Requests not yet answered; without event streams.',
      registers,
      collect() {
        this.set(inFlight());
      },
    });
  }

  /** A request has come whose answer is no event stream. {@link ended} takes it back. */
  began(): void {
    this.inFlight++;
  }

  ended({ method, route, status, aborted, isStream, seconds }: EndedRequest): void {
    if (!isStream) this.inFlight--;
    const known = METHODS.has(method) ? method : 'other';
    const series = this.seriesOf(known, route);
    this.countOf(series, known, route, aborted && !isStream ? ABORTED : classOf(status)).pending++;
    if (!isStream) series.duration.observe(seconds);
  }

  /** What came was no HTTP, so that no request began. */
  malformed(status: number): void {
    this.requests.inc({ method: 'other', route: UNMATCHED, status_class: classOf(status) });
  }

  private seriesOf(method: string, route: string): Series {
    let ofRoute = this.series.get(route);
    if (!ofRoute) this.series.set(route, (ofRoute = new Map()));
    let series = ofRoute.get(method);
    if (!series) {
      series = { counts: new Map(), duration: this.duration.labels({ method, route }) as Histogram.Internal<never> };
      ofRoute.set(method, series);
    }
    return series;
  }

  private countOf(series: Series, method: string, route: string, statusClass: string): Count {
    let count = series.counts.get(statusClass);
    if (!count) {
      count = { counter: this.requests.labels({ method, route, status_class: statusClass }), pending: 0 };
      series.counts.set(statusClass, count);
      this.counts.push(count);
    }
    return count;
  }
}
