import { Injectable } from '@nestjs/common';
import { CoreSettings, type Scope, Turn } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import type { OtelSpan } from '@spandrel/plugin-api';
import { RecordSpans, type SpanRecord } from '@spandrel/tracing';
import { valuesOfTexts } from '../aside/values-of-texts.js';
import type { OtelLogRecord } from '../decode/otel-log-record.js';
import { rejectedCount } from '../http/export-response.js';
import { OtlpSettings } from '../otlp.settings.js';
import { DialectReader } from '../reading/dialect-reader.js';
import { readSpan } from '../reading/read-span.js';
import { WriteExport, type LogsPage, type SpansPage, type WrittenExport } from '../write-export.js';
import { droppedScopes } from './dropped-scopes.js';
import { eventRows, logFault, maskRecords, toldRecord, type ToldRecord } from './log-event.js';
import { withLogs } from './log-members.js';
import { MergeEvents } from './merge-events.js';
import { keyOfSpan, OtlpEventStore } from './otlp-event.store.js';
import type { OtlpEventRow } from './otlp-event.entity.js';
import { OtlpWriteMetrics } from './otlp-write-metrics.js';
import { Rejections } from './rejections.js';
import { slicesByWeight, slicesOf } from './slices-of.js';
import { spanFault } from './span-fault.js';
import { slicesOfRead, type NamedRecord } from './slices-of-read.js';
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
      await this.writeSlice(scope, await this.recordsOf(slice), rejections);
    }
    return { rejected: rejections.list };
  }

  override async writeReadSpans(scope: Scope, pages: AsyncIterable<SpansPage>): Promise<WrittenExport> {
    const rejections = new Rejections();
    for await (const page of pages) {
      this.count(page, rejections);
      for await (const slice of slicesOfRead(page, this.recordSpans.sliceSize)) {
        await this.writeSlice(scope, slice, rejections);
      }
    }
    return { rejected: rejections.list };
  }

  override async writeLogs(scope: Scope, records: Iterable<OtelLogRecord>): Promise<WrittenExport> {
    const rejections = new Rejections();
    const writer = this.logWriter(scope);
    const isKept = (record: OtelLogRecord): boolean => {
      const fault = logFault(record);
      if (fault !== undefined) rejections.add(fault, record.spanId);
      return fault === undefined;
    };
    for await (const slice of slicesOf(records, this.recordSpans.sliceSize, isKept)) {
      await writer(slice.map(toldRecord));
    }
    return { rejected: rejections.list };
  }

  override async writeReadLogs(scope: Scope, pages: AsyncIterable<LogsPage>): Promise<WrittenExport> {
    const rejections = new Rejections();
    const writer = this.logWriter(scope);
    for await (const page of pages) {
      rejections.addAll(page.rejected);
      for await (const slice of slicesByWeight<ToldRecord>(valuesOfTexts(page), this.recordSpans.sliceSize)) {
        await writer(slice);
      }
    }
    return { rejected: rejections.list };
  }

  /** Writes the records of one export, slice by slice. */
  private logWriter(scope: Scope): (slice: readonly ToldRecord[]) => Promise<void> {
    const now = Date.now();
    let position = 0;
    return async (slice) => {
      const masking = await this.masking.of(scope);
      const masked = masking ? await masking.run((calls) => maskRecords(calls, slice)) : slice;
      const rows = await eventRows(masked, scope.projectId, now, position);
      position += slice.length;
      await this.events.add(rows);
      await this.mergeEvents.execute(scope, rows);
    };
  }

  private async writeSlice(scope: Scope, spans: readonly NamedRecord[], rejections: Rejections): Promise<void> {
    const waiting = await this.events.ofSpans(scope, spans);
    const records = spans.map(({ record, ...name }) => {
      const events = waiting.get(keyOfSpan(name));
      return events ? this.withEvents(record, events) : record;
    });
    const { rejected } = await this.recordSpans.execute(scope, records);
    for (const { index, message } of rejected) rejections.add(message, spans[index]!.spanId);
    this.metrics.rejected.inc(rejected.length);
    this.metrics.spans.inc(records.length - rejected.length);
    // Events may have come since they were read; whoever writes second sees the other.
    await this.mergeEvents.execute(scope, spans);
  }

  private count({ rejected, dropped, dialectErrors }: SpansPage, rejections: Rejections): void {
    rejections.addAll(rejected);
    this.metrics.rejected.inc(rejectedCount(rejected));
    this.metrics.dropped.inc(dropped);
    for (const [dialect, times] of Object.entries(dialectErrors)) this.metrics.countDialectError(dialect, times);
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

  private async recordsOf(spans: readonly OtelSpan[]): Promise<NamedRecord[]> {
    const records: NamedRecord[] = [];
    const turn = new Turn();
    for (const span of spans) {
      const { traceId, spanId } = span;
      const record = spanRecord(span, readSpan(span, this.dialects, this.core.bodyBytes));
      records.push({ traceId, spanId, record });
      if (turn.isOver()) await turn.next();
    }
    return records;
  }

  private withEvents(record: SpanRecord, events: readonly OtlpEventRow[]): SpanRecord {
    const { input, output, metadata } = record.item;
    const told = this.mergeEvents.read(events);
    return { ...record, item: { ...record.item, ...withLogs({ input, output, metadata: metadata ?? {} }, told) } };
  }
}
