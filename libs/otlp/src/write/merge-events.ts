import { Injectable } from '@nestjs/common';
import { type IngestSpan, type SpanKind } from '@spandrel/contract';
import { CoreSettings, type Scope } from '@spandrel/kernel';
import { fromJsonText } from '@spandrel/storage';
import { RecordSpans, STATUS, type SpanAmendment, type StoredSpan } from '@spandrel/tracing';
import { DialectReader } from '../reading/dialect-reader.js';
import { readSpan } from '../reading/read-span.js';
import { eventOfRow, isKeptEvent, spanOfEvents } from './log-event.js';
import { logsMerged, type ToldByLogs } from './log-members.js';
import type { OtlpEventRow } from './otlp-event.entity.js';
import { OtlpEventStore, type SpanName } from './otlp-event.store.js';

/** Brings log events to the spans that they belong to, as far as these are there. */
@Injectable()
export class MergeEvents {
  constructor(
    private readonly events: OtlpEventStore,
    private readonly recordSpans: RecordSpans,
    private readonly dialects: DialectReader,
    private readonly core: CoreSettings,
  ) {}

  /**
   * Merges what is known of some spans into them; those that are not there are left to wait. Doing it again changes nothing.
   * @throws Unavailable when the database is lost.
   */
  async execute(scope: Scope, spans: readonly SpanName[]): Promise<void> {
    const known = [...(await this.events.ofSpans(scope, spans)).values()];
    if (known.length === 0) return;
    const { found } = await this.recordSpans.execute(
      scope,
      [],
      known.map((events) => this.amendment(events)),
    );
    const met = known.flatMap(([first], index) => (found[index] && first!.merged === 0 ? first! : []));
    await this.events.setMerged(scope, met);
  }

  /** What the events of one span tell. @param rows in the order in which they happened, at least one. */
  read(rows: readonly OtlpEventRow[]): ToldByLogs {
    const { traceId, spanId } = rows[0]!;
    const events = rows.map(eventOfRow);
    const span = spanOfEvents(traceId, spanId, events);
    const { input, output, metadata } = readSpan(span, this.dialects, this.core.bodyBytes).span;
    return {
      input,
      output,
      count: events.filter(({ name }) => !isKeptEvent(name)).length,
      events: eventsIn(metadata)
        .filter(({ name }) => isKeptEvent(name))
        .map((event) => ({ ...event, from_logs: true })),
    };
  }

  private amendment(events: readonly OtlpEventRow[]): SpanAmendment {
    const told = this.read(events);
    const { traceId, spanId } = events[0]!;
    return {
      traceId,
      spanId,
      amend: (stored) => {
        const view = logsMerged(stored, told);
        return view && { ...itemOf(stored), ...view };
      },
    };
  }
}

/** The events that a span was read with, as they are stored. */
function eventsIn(metadata: IngestSpan['metadata']): Record<string, unknown>[] {
  const otel = metadata?.['otel'] as { events?: Record<string, unknown>[] } | undefined;
  return otel?.events ?? [];
}

/** A stored span as an item that changes nothing of it. */
function itemOf(stored: StoredSpan): IngestSpan {
  const error = fromJsonText(stored.error) as string | null;
  const ended = { ended_at: stored.endedAt };
  return {
    id: stored.id,
    trace_id: stored.traceId,
    parent_id: stored.parentId,
    name: stored.name,
    kind: fromJsonText(stored.kind) as SpanKind,
    started_at: stored.startedAt,
    ...(stored.status === STATUS.running && { status: 'running' as const }),
    ...(stored.status === STATUS.completed && { status: 'completed' as const, ...ended }),
    ...(stored.status === STATUS.failed && { status: { failed: { error: error ?? '' } }, ...ended }),
  };
}
