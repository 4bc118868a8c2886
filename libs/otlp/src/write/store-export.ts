import { Injectable } from '@nestjs/common';
import { CoreSettings, type Scope, Turn } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import type { OtelSpan } from '@spandrel/plugin-api';
import { RecordSpans, type SpanRecord } from '@spandrel/tracing';
import type { OtelLogRecord } from '../decode/otel-log-record.js';
import { OtlpSettings } from '../otlp.settings.js';
import { DialectReader } from '../reading/dialect-reader.js';
import { readSpan, type ReadSpan } from '../reading/read-span.js';
import { WriteExport, type WrittenExport } from '../write-export.js';
import { droppedScopes } from './dropped-scopes.js';
import { attributesOf, eventRows, isSpanEvent, maskAttributes } from './log-event.js';
import { withLogs } from './log-members.js';
import { MergeEvents } from './merge-events.js';
import { keyOfSpan, OtlpEventStore } from './otlp-event.store.js';
import type { OtlpEventRow } from './otlp-event.entity.js';
import { OtlpWriteMetrics } from './otlp-write-metrics.js';
import { Rejections } from './rejections.js';
import { slicesOf } from './slices-of.js';
import { idFault, spanFault } from './span-fault.js';
import { spanRecord } from './span-record.js';

/** Stores exports through tracing: usage counts once, in whatever order spans and logs come (ADR 0024). */
@Injectable()
export class StoreExport extends WriteExport {
  private readonly isDropped: (scope: string) => boolean;

  constructor(
    private readonly recordSpans: RecordSpans,
    private readonly events: OtlpEventStore,
    private readonly mergeEvents: MergeEvents,
    private readonly dialects: DialectReader,
    private readonly metrics: OtlpWriteMetrics,
    private readonly core: CoreSettings,
    private readonly masking: ProjectMasking,
    { dropScopes }: OtlpSettings,
  ) {
    super();
    this.isDropped = droppedScopes(dropScopes);
  }

  override async writeSpans(scope: Scope, spans: Iterable<OtelSpan>): Promise<WrittenExport> {
    const rejections = new Rejections();
    const isKept = (span: OtelSpan): boolean => this.isKept(span, rejections);
    for await (const slice of slicesOf(spans, this.recordSpans.sliceSize, isKept)) {
      await this.writeSlice(scope, slice, rejections);
    }
    return { rejected: rejections.list };
  }

  override async writeLogs(scope: Scope, records: Iterable<OtelLogRecord>): Promise<WrittenExport> {
    const rejections = new Rejections();
    const now = Date.now();
    let position = 0;
    const isKept = (record: OtelLogRecord): boolean => {
      const fault = isSpanEvent(record) ? idFault(record) : 'log records other than events of model calls are not kept';
      if (fault !== undefined) rejections.add(fault, record.spanId);
      return fault === undefined;
    };
    for await (const slice of slicesOf(records, this.recordSpans.sliceSize, isKept)) {
      const told = slice.map(attributesOf);
      const masking = await this.masking.of(scope);
      const attributes = masking ? await masking.run((calls) => maskAttributes(calls, told)) : told;
      const rows = eventRows(slice, scope.projectId, now, position, attributes);
      position += slice.length;
      await this.events.add(rows);
      await this.mergeEvents.execute(scope, rows);
    }
    return { rejected: rejections.list };
  }

  private async writeSlice(scope: Scope, spans: readonly OtelSpan[], rejections: Rejections): Promise<void> {
    const waiting = await this.events.ofSpans(scope, spans);
    const records = await this.recordsOf(spans, waiting);
    const { rejected } = await this.recordSpans.execute(scope, records);
    for (const { index, message } of rejected) rejections.add(message, spans[index]!.spanId);
    this.metrics.rejected.inc(rejected.length);
    this.metrics.spans.inc(records.length - rejected.length);
    // Events may have come since they were read; whoever writes second sees the other.
    await this.mergeEvents.execute(scope, spans);
  }

  private isKept(span: OtelSpan, rejections: Rejections): boolean {
    const fault = spanFault(span);
    if (fault !== undefined) {
      rejections.add(fault, span.spanId);
      this.metrics.rejected.inc();
      return false;
    }
    if (!this.isDropped(span.scope.name)) return true;
    this.metrics.dropped.inc();
    return false;
  }

  private async recordsOf(
    spans: readonly OtelSpan[],
    waiting: ReadonlyMap<string, readonly OtlpEventRow[]>,
  ): Promise<SpanRecord[]> {
    const records: SpanRecord[] = [];
    const turn = new Turn();
    for (const span of spans) {
      const read = readSpan(span, this.dialects, this.core.bodyBytes);
      const events = waiting.get(keyOfSpan(span));
      records.push(spanRecord(span, events ? this.withEvents(read, events) : read));
      if (turn.isOver()) await turn.next();
    }
    return records;
  }

  private withEvents(read: ReadSpan, events: readonly OtlpEventRow[]): ReadSpan {
    const { input, output, metadata } = read.span;
    const told = this.mergeEvents.read(events);
    return { ...read, span: { ...read.span, ...withLogs({ input, output, metadata: metadata ?? {} }, told) } };
  }
}
