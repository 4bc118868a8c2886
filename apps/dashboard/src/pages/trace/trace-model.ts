import { findCriticalPath, type CriticalPath } from './critical-path.js';
import { buildSpanTree, type SpanTree } from './span-tree.js';
import { layOutTimes, type SpanTimes } from './span-times.js';
import { failedPlaces } from './trace-filter.js';
import type { TraceSpan } from '../../features/spans/trace-span.js';

/** What the views of a trace are drawn from. Another object where anything of it has changed. */
export interface TraceModel {
  readonly tree: SpanTree;
  readonly times: SpanTimes;
  readonly path: CriticalPath;
  /** Places of failed spans, sorted. */
  readonly failed: Int32Array;
}

/** @param now the end of spans that still run, in milliseconds since the epoch. */
export function buildTraceModel(spans: readonly TraceSpan[], now: number): TraceModel {
  const tree = buildSpanTree(spans);
  const times = layOutTimes(tree, now);
  return { tree, times, path: findCriticalPath(tree, times), failed: failedPlaces(tree) };
}
