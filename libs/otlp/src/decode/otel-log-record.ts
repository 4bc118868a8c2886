import type { OtelMap, OtelScope, OtelValue } from '@spandrel/plugin-api';

/** One log record of OpenTelemetry as its exporter sent it, whichever encoding it came in. Nothing in it may be changed. */
export interface OtelLogRecord {
  /** The field `event_name`, else the attribute `event.name` of older exporters; empty for a plain log line. */
  readonly eventName: string;
  /** Hex digits in lower case, as sent; empty for a record outside of any trace. */
  readonly traceId: string;
  /** Hex digits in lower case, as sent; empty for a record outside of any span. */
  readonly spanId: string;
  /** Nanoseconds since 1970: when it happened, else when it was observed; 0 when neither is told. */
  readonly timeUnixNano: bigint;
  readonly attributes: OtelMap;
  /** `null` for a record without one. */
  readonly body: OtelValue;
  readonly scope: OtelScope;
  readonly resource: OtelMap;
}
