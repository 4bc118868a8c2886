/** What a `traceparent` header says (https://www.w3.org/TR/trace-context/). */
export interface Traceparent {
  traceId: string;
  /** The span that called; null where the caller had a trace open and no span. */
  spanId: string | null;
}

/** Headers as `fetch`, Node and most frameworks have them. */
export type HeadersLike =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/**
 * The header names a span always; a call from a trace without one says so by the beginning of the trace's id, which is
 * no span's but for one chance in 2^64.
 */
const noSpan = (traceId: string): string => traceId.slice(0, 16);

/** @param spanId null where a trace is open and no span. */
export const formatTraceparent = (traceId: string, spanId: string | null): string =>
  `00-${traceId}-${spanId ?? noSpan(traceId)}-01`;

/** @returns undefined where there is no such header, or a malformed one. */
export function readTraceparent(headers: HeadersLike | null | undefined): Traceparent | undefined {
  const text = headers && headerOf(headers);
  const [, version, traceId, spanId, more] = FORM.exec(String(text ?? '').trim()) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId: spanId === noSpan(traceId) ? null : spanId };
}

function headerOf(headers: HeadersLike): unknown {
  if (typeof headers.get === 'function') return headers.get('traceparent');
  for (const [name, value] of Object.entries(headers)) if (name.toLowerCase() === 'traceparent') return value;
  return undefined;
}
