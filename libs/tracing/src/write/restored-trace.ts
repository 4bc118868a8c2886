import type { ExportedTrace, RestoredTrace } from '@spandrel/contract';
import { isOtlpTraceId } from '../cover/usage-cover.js';
import { patchedTrace } from './new-trace.js';
import { originsOf, originsText, type Origins } from './trace-origins.js';
import { traceResource } from '../trace-resource.js';
import type { TraceRow } from '../trace.entity.js';

/** A trace as an export has it: where spans of OTLP told of it, with who told what. */
export function exportedTrace(trace: TraceRow): ExportedTrace {
  const resource = traceResource(trace);
  if (trace.origins === null || !isOtlpTraceId(trace.id)) return resource;
  const { openStart, ...origins } = originsOf(trace);
  return { ...resource, origins: { ...origins, ...(openStart && { open_start: openStart }) } };
}

/** The trace with what a file says of it, which wins. @returns the same row when nothing differs. */
export function restoredTrace(trace: TraceRow, item: RestoredTrace): TraceRow {
  if (!item.origins) return patchedTrace(trace, item, 'keep_told');
  const { open_start: openStart, ...origins } = item.origins;
  const told: Origins = { ...origins, ...(openStart && { openStart }) };
  const next = { ...patchedTrace(trace, item), origins: originsText(told) };
  const changed = (Object.keys(next) as (keyof TraceRow)[]).some((member) => next[member] !== trace[member]);
  return changed ? next : trace;
}
