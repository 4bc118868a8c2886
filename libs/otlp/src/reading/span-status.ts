import type { SpanStatus } from '@spandrel/contract';
import type { OtelSpan, SpanReading } from '@spandrel/plugin-api';
import { cutText } from './cut-span.js';

/** How a span ended: it runs as long as it has no end, and failed where its status or a dialect says so. */
export function spanStatus(span: OtelSpan, { failure, pendingOf }: SpanReading): SpanStatus {
  if (pendingOf !== undefined || span.endUnixNano === 0n) return 'running';
  if (span.status.code === 'error') return { failed: { error: cutText(failureOf(span, failure)) } };
  return failure === undefined ? 'completed' : { failed: { error: cutText(failure) } };
}

function failureOf({ status, events, attributes }: OtelSpan, failure: string | undefined): string {
  if (status.message !== '') return status.message;
  if (failure !== undefined) return failure;
  for (const member of ['exception.message', 'exception.type']) {
    for (const event of events) {
      const told = event.name === 'exception' ? event.attributes.get(member) : undefined;
      if (typeof told === 'string' && told !== '') return told;
    }
  }
  const type = attributes.get('error.type');
  return typeof type === 'string' && type !== '' ? type : 'error';
}
