import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { WITHHELD_REASONS, type WithheldReason } from './recording/call-facts.js';
import { DROP_REASONS, type DropReason } from './spool/spool.js';

/** What metrics show of the gateway's state when they are read. */
export interface GatewayState {
  spoolItems: number;
  spoolBytes: number;
  spoolUnreadable: number;
  spoolQuarantined: number;
  inFlight: number;
}

const LATENCY_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The gateway's metrics. Labels are names of plugins and endpoints, never what callers send. */
export class GatewayMetrics {
  droppedRecordings = 0;

  readonly upstreamErrors;
  readonly upstreamResends;
  readonly delivered;
  readonly storeErrors;
  readonly quarantines;
  readonly quarantineRemovals;
  readonly failedTexts;
  private readonly requests;
  private readonly duration;
  private readonly dropped;
  private readonly withheld;

  /** @param registry where they are registered, and what `/metrics` shows. */
  constructor(readonly registry: Registry) {
    const registers = [registry];
    const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Counter({ name, help, labelNames, registers });
    this.requests = counter(
      'spandrel_gateway_requests_total',
      'Requests answered, by provider, endpoint and status class.',
      ['provider', 'endpoint', 'status_class'],
    );
    this.duration = new Histogram({
      name: 'spandrel_gateway_request_duration_seconds',
      help: 'Time from the request to the end of its answer.',
      labelNames: ['provider', 'endpoint'] as const,
      buckets: LATENCY_SECONDS,
      registers,
    });
    this.upstreamErrors = counter(
      'spandrel_gateway_upstream_errors_total',
      'Requests that got no whole answer from upstream, by kind.',
      ['provider', 'kind'],
    );
    this.upstreamResends = counter(
      'spandrel_gateway_upstream_resends_total',
      'Requests sent once more because the connection they were sent on had been closed as idle.',
    );
    this.dropped = counter('spandrel_gateway_dropped_recordings_total', 'Recordings lost, by reason.', ['reason']);
    this.withheld = counter(
      'spandrel_gateway_withheld_contents_total',
      'Recordings without what was said in the call, by reason.',
      ['reason'],
    );
    this.delivered = counter('spandrel_gateway_delivered_recordings_total', 'Recordings the API has taken.');
    this.storeErrors = counter(
      'spandrel_gateway_spool_errors_total',
      'Calls that could not be kept on disk; their recordings stayed in memory.',
    );
    this.quarantines = counter(
      'spandrel_gateway_spool_quarantined_total',
      'Damaged files of the spool directory that were moved to its quarantine.',
    );
    this.quarantineRemovals = counter(
      'spandrel_gateway_spool_quarantine_removed_total',
      'Files removed from the quarantine because it was full.',
    );
    this.failedTexts = counter(
      'spandrel_gateway_masking_failed_texts_total',
      'Texts masked as a whole because a masker failed, by masker.',
      ['masker'],
    );
    // A counter that begins at its first increase hides that increase from Prometheus.
    for (const reason of DROP_REASONS) this.dropped.inc({ reason }, 0);
    for (const reason of WITHHELD_REASONS) this.withheld.inc({ reason }, 0);
  }

  /** Counts from 0 what maskers may fail at. @param maskers names of those that are loaded. */
  countMaskers(maskers: readonly string[]): void {
    for (const masker of maskers) this.failedTexts.inc({ masker }, 0);
  }

  /** Adds gauges of the gateway's state. @param state asked whenever the metrics are read. */
  watch(state: () => GatewayState): void {
    for (const [name, help, read] of [
      ['spandrel_gateway_spool_items', 'Recordings waiting for the API.', () => state().spoolItems],
      ['spandrel_gateway_spool_bytes', 'Size of the recordings waiting for the API.', () => state().spoolBytes],
      [
        'spandrel_gateway_spool_unreadable_files',
        'Files of a former run that cannot be read right now and stay in the spool directory.',
        () => state().spoolUnreadable,
      ],
      [
        'spandrel_gateway_spool_quarantine_files',
        'Damaged files that are in the quarantine of the spool directory.',
        () => state().spoolQuarantined,
      ],
      ['spandrel_gateway_requests_in_flight', 'Requests not yet answered.', () => state().inFlight],
    ] as const) {
      new Gauge({
        name,
        help,
        registers: [this.registry],
        collect() {
          this.set(read());
        },
      });
    }
  }

  /** A request has been answered or has ended without one. @param status 0 where no answer began. */
  request(provider: string, endpoint: string, status: number, seconds: number): void {
    const status_class = status === 0 ? 'none' : `${(status / 100) | 0}xx`;
    this.requests.inc({ provider, endpoint, status_class });
    this.duration.observe({ provider, endpoint }, seconds);
  }

  recordingDropped(reason: DropReason): void {
    this.droppedRecordings++;
    this.dropped.inc({ reason });
  }

  contentWithheld(reason: WithheldReason): void {
    this.withheld.inc({ reason });
  }
}
