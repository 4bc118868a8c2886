import { isOtlpSpanId, isOtlpTraceId } from '../usage-attribution/usage-attribution.js';

/** Where it is known to which trace the span with an id belongs. */
export interface SpanHolders {
  /** @returns the trace; `undefined` when there is no span with this id. */
  traceOfSpan(id: string): string | undefined;
}

/** How a span is stored whose id another trace of the project has (docs/spec/otlp.md#ids-of-spans). */
export const aliasOf = (id: string, traceId: string): string => `${id}.${traceId}`;

/** The id under which a span of a trace is stored, or will be: its own, unless another trace has it. */
export function resolvedId(holders: SpanHolders, id: string, traceId: string): string {
  const alias = aliasOf(id, traceId);
  if (holders.traceOfSpan(alias) === traceId) return alias;
  const holder = holders.traceOfSpan(id);
  return holder === undefined || holder === traceId ? id : alias;
}

/** Whether a span of a trace can be stored under another id than this one: spans that came by OTLP can. */
export const mayBeAliased = (id: string, traceId: string): boolean => isOtlpTraceId(traceId) && isOtlpSpanId(id);

/** The parent of a span as the span is stored, also one that a program names which knows of no other trace. */
export const resolvedParent = <Id extends string | null | undefined>(
  holders: SpanHolders,
  parentId: Id,
  traceId: string,
): Id | string =>
  typeof parentId === 'string' && mayBeAliased(parentId, traceId) ? resolvedId(holders, parentId, traceId) : parentId;
