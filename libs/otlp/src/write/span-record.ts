import type { OtelSpan } from '@spandrel/plugin-api';
import type { Ranked as TracingRank, SpanRecord } from '@spandrel/tracing';
import type { ReadSpan } from '../reading/read-span.js';
import type { Ranked } from '../reading/trace-reading.js';

/** The highest rank that a span can give; tracing counts from 1 at the top, 0 is what a person gave. */
const HIGHEST_RANK = 3;

const turned = ({ value, rank }: Ranked): TracingRank => ({ value, rank: HIGHEST_RANK + 1 - rank });

/** What tracing records of a span of OpenTelemetry that was read. */
export function spanRecord({ startUnixNano, endUnixNano }: OtelSpan, { span, trace, isPending }: ReadSpan): SpanRecord {
  const start = startUnixNano === 0n ? endUnixNano : startUnixNano;
  return {
    item: span,
    order: `${String(start).padStart(20, '0')}${span.id}`,
    telling: {
      name: turned(trace.name),
      ...(trace.session && { session: turned(trace.session) }),
      ...(trace.user && { user: turned(trace.user) }),
      ...(trace.tags.length > 0 && { tags: trace.tags }),
      ...(trace.metadata && { metadata: trace.metadata }),
      ...(trace.resource && { resource: trace.resource }),
    },
    pending: isPending,
  };
}
