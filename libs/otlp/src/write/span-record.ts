import type { OtelSpan } from '@spandrel/plugin-api';
import type { SpanRecord } from '@spandrel/tracing';
import type { ReadSpan } from '../reading/read-span.js';

/** What tracing records of a span of OpenTelemetry that was read. */
export function spanRecord({ startUnixNano, endUnixNano }: OtelSpan, { span, trace, isPending }: ReadSpan): SpanRecord {
  const start = startUnixNano === 0n ? endUnixNano : startUnixNano;
  return {
    item: span,
    order: `${String(start).padStart(20, '0')}${span.id}`,
    traceAttributes: trace,
    pending: isPending,
  };
}

/** Whether 64 bits hold a time, as they do in protobuf; the last is in the year 2554. */
const isTime = (nanos: bigint): boolean => BigInt.asUintN(64, nanos) === nanos;

const isId = (id: string, digits: number): boolean =>
  id.length === digits && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id);

/** Why ids name no span; `undefined` when they do. */
export function idFault({ traceId, spanId }: Pick<OtelSpan, 'traceId' | 'spanId'>): string | undefined {
  if (!isId(traceId, 32)) return 'the trace id is not 32 hex digits, or zero';
  if (!isId(spanId, 16)) return 'the span id is not 16 hex digits, or zero';
  return undefined;
}

/** Why a span cannot be kept (docs/spec/otlp.md#spans-that-are-rejected); `undefined` when it can. */
export function spanFault(span: OtelSpan): string | undefined {
  const { startUnixNano: start, endUnixNano: end } = span;
  if (start === 0n && end === 0n) return 'neither a start nor an end is given';
  if (!isTime(start) || !isTime(end)) return 'a time is no count of nanoseconds since 1970 in 64 bits';
  return idFault(span);
}

/**
 * Logs the instrumentation scopes whose spans are not kept.
 * @param names of `otlp.drop_scopes`; one that ends in `*` stands for all that begin so.
 */
export function droppedScopes(names: readonly string[]): (scope: string) => boolean {
  const exact = new Set(names.filter((name) => !name.endsWith('*')));
  const beginnings = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (scope) => exact.has(scope) || beginnings.some((beginning) => scope.startsWith(beginning));
}
