/**
 * A value of an attribute. Integers that a number does not hold exactly are `bigint`; bytes are a `Uint8Array`; a value
 * that was sent without any content is `null`.
 */
export type OtelValue = string | number | bigint | boolean | null | Uint8Array | readonly OtelValue[] | OtelMap;

/**
 * Attributes by their names, in the order in which they came; of a name sent twice the last value. Asked like a `Map`, and
 * mostly none; a value that is a map is a `Map`.
 */
export type OtelMap = ReadonlyMap<string, OtelValue>;

export type OtelSpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** One span of OpenTelemetry as its exporter sent it, whichever encoding it came in. Nothing in it may be changed. */
export interface OtelSpan {
  /** 32 hex digits in lower case. */
  readonly traceId: string;
  /** 16 hex digits in lower case. */
  readonly spanId: string;
  /** `null` for a span without a parent. */
  readonly parentSpanId: string | null;
  /** W3C `tracestate`; empty when there is none. */
  readonly traceState: string;
  readonly name: string;
  /** `null` when the exporter reports none. */
  readonly kind: OtelSpanKind | null;
  /** Nanoseconds since 1970; 0 when not reported. */
  readonly startUnixNano: bigint;
  /** Nanoseconds since 1970; 0 while the span runs. */
  readonly endUnixNano: bigint;
  readonly attributes: OtelMap;
  readonly events: readonly OtelEvent[];
  readonly links: readonly OtelLink[];
  readonly status: OtelStatus;
  /** How many attributes, events and links the exporter left out. */
  readonly dropped: OtelDropped;
  readonly scope: OtelScope;
  readonly resource: OtelMap;
}

export interface OtelStatus {
  readonly code: 'unset' | 'ok' | 'error';
  readonly message: string;
}

export interface OtelEvent {
  readonly name: string;
  readonly timeUnixNano: bigint;
  readonly attributes: OtelMap;
}

export interface OtelLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: OtelMap;
}

export interface OtelDropped {
  readonly attributes: number;
  readonly events: number;
  readonly links: number;
}

/** The instrumentation library that made a span. */
export interface OtelScope {
  readonly name: string;
  readonly version: string;
}
