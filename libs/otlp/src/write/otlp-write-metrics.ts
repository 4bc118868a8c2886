import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { METRICS, PLUGINS, type PluginRegistry } from '@spandrel/kernel';

/** Counts what becomes of the spans and events that exports bring. */
@Injectable()
export class OtlpWriteMetrics {
  readonly spans: Counter.Internal;
  readonly rejected: Counter.Internal;
  readonly dropped: Counter.Internal;
  readonly expiredEvents: Counter.Internal;
  private readonly dialectErrors: Counter<'dialect'>;

  constructor(@Inject(METRICS) registry: Registry, @Inject(PLUGINS) { dialects }: PluginRegistry) {
    const counter = (name: string, help: string): Counter.Internal =>
      new Counter({ name, help, registers: [registry] }).labels();
    this.spans = counter('spandrel_otlp_spans_total', 'Spans of OpenTelemetry that were taken, repeated ones as well.');
    this.rejected = counter('spandrel_otlp_rejected_spans_total', 'Spans of OpenTelemetry that could not be kept.');
    this.dropped = counter('spandrel_otlp_dropped_spans_total', 'Spans of scopes that otlp.drop_scopes names.');
    this.expiredEvents = counter('spandrel_otlp_expired_events_total', 'Log events whose span never came.');
    this.dialectErrors = new Counter({
      name: 'spandrel_otlp_dialect_errors_total',
      help: 'Spans over which a dialect threw, by dialect.',
      labelNames: ['dialect'] as const,
      registers: [registry],
    });
    // From 0, so that an alert sees the first one.
    for (const { name: dialect } of dialects) this.dialectErrors.inc({ dialect }, 0);
  }

  countDialectError(dialect: string, times = 1): void {
    this.dialectErrors.labels({ dialect }).inc(times);
  }
}
