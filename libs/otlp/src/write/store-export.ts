import { Injectable } from '@nestjs/common';
import { isLargeJson, UNKNOWN_MODEL } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { jsonText, writtenAhead } from '@spandrel/storage';
import { RecordSpans, SpanLookups, type SpanRecord, type StoredSpan } from '@spandrel/tracing';
import { ExportReader } from '../aside/export-reader.js';
import { valuesOf, slicesByWeight, slicesOfRead, type NamedRecord } from './slices-of-read.js';
import { rejectedCount } from '../http/export-response.js';
import type { LogsPage, SpansPage } from '../aside/read-pages.js';
import { EvaluationScores } from './evaluation-scores.js';
import { eventRows, maskRecords, type EventRecord } from './log-event.js';
import { keepLogMembers, mayHaveLogs, withLogs, type LogView, type LogContents } from './log-members.js';
import { MergeEvents } from './merge-events.js';
import { keyOfSpan, OtlpEventStore, type SpanName } from './otlp-event.store.js';
import { OtlpWriteMetrics } from './otlp-write-metrics.js';
import { Rejections, type Rejection } from './rejections.js';
import { StoredLook } from './stored-look.js';

/**
 * Stores exports through tracing: usage counts once, in whatever order spans and logs come (ADR 0024). Every method settles when what
 * is accepted is durable, may be called again with the same items, and lets others have their turn. They throw DomainError `unavailable`
 * when the database does not answer: a part may be durable then, and sending all of it again is safe.
 */
@Injectable()
export class StoreExport {
  constructor(
    private readonly recordSpans: RecordSpans,
    private readonly events: OtlpEventStore,
    private readonly mergeEvents: MergeEvents,
    private readonly metrics: OtlpWriteMetrics,
    private readonly masking: ProjectMasking,
    private readonly reader: ExportReader,
    private readonly lookups: SpanLookups,
    private readonly evaluations: EvaluationScores,
  ) {}

  /**
   * Stores the spans of an export. @param pages as they were read; the next one is taken when the one before it is durable.
   * @returns what is left out, one entry a reason, once everything else is durable.
   */
  async writeSpans(scope: Scope, pages: AsyncIterable<SpansPage>): Promise<readonly Rejection[]> {
    const rejections = new Rejections();
    for await (const page of pages) {
      this.count(page, rejections);
      for await (const slice of slicesOfRead(page, this.recordSpans.sliceSize)) {
        await this.writeSlice(scope, slice, rejections);
      }
    }
    return rejections.list;
  }

  /** Adds the log records about model calls to their spans, or keeps them until those come. @param pages as of {@link writeSpans}. */
  async writeLogs(scope: Scope, pages: AsyncIterable<LogsPage>): Promise<readonly Rejection[]> {
    const rejections = new Rejections();
    const writer = this.logWriter(scope);
    for await (const page of pages) {
      rejections.addAll(page.rejected);
      for await (const slice of slicesByWeight<EventRecord>(valuesOf(page), this.recordSpans.sliceSize)) {
        await writer(slice);
      }
    }
    await writer([]);
    return rejections.list;
  }

  /** Writes the records of one export, slice by slice, the last one empty; a span is merged with those of many slices at once. */
  private logWriter(scope: Scope): (slice: readonly EventRecord[]) => Promise<void> {
    const now = Date.now();
    const met = new Map<string, SpanName>();
    let position = 0;
    return async (slice) => {
      const masking = await this.masking.of(scope);
      const masked = masking ? await masking.run((calls) => maskRecords(calls, slice)) : slice;
      const rows = await eventRows(masked, scope.projectId, now, position);
      position += slice.length;
      await this.events.add(rows);
      for (const { traceId, spanId } of rows) met.set(keyOfSpan({ traceId, spanId }), { traceId, spanId });
      if (slice.length > 0 && met.size < this.recordSpans.sliceSize) return;
      await this.mergeEvents.execute(scope, [...met.values()]);
      met.clear();
    };
  }

  private async writeSlice(scope: Scope, spans: readonly NamedRecord[], rejections: Rejections): Promise<void> {
    const logged = await this.mergeEvents.contentsOf(scope, await this.events.known(scope, spans));
    const writes = spans.map((span) => this.sent(scope, span, logged.get(keyOfSpan(span))));
    let rejectedNow = 0;
    await StoredLook.all(writes, async (some, room) => {
      const records = some.map(({ record, look }): SpanRecord => ({
        ...record,
        item: { ...record.item, ...look.view },
        keep: (sent, stored) => {
          const item = withModelOf(stored, sent);
          const when = mayHaveLogs(stored) ? look.at(stored, room) : 'read';
          if (when === 'later') return undefined;
          return when === 'read' ? item : { ...item, ...keepLogMembers(viewOfItem(item), stored) };
        },
      }));
      const { rejected } = await this.recordSpans.execute(scope, records);
      for (const { index, message } of rejected) rejections.add(message, some[index]!.spanId);
      rejectedNow += rejected.length;
    });
    await this.evaluations.writeOfSpans(scope, spans);
    this.metrics.rejected.inc(rejectedNow);
    this.metrics.spans.inc(writes.length - rejectedNow);
    // Events may have come since they were read; the one that writes second sees the other.
    await this.mergeEvents.execute(scope, spans);
    await this.nameModels(scope, spans);
  }

  /** Gives calls that name no model that of the span around them, whichever of both comes first (docs/spec/otlp.md#kinds). */
  private async nameModels(scope: Scope, spans: readonly NamedRecord[]): Promise<void> {
    const some = spans.filter(({ record: { item } }) => mayLackModel(item) || mayNameModel(item));
    if (some.length === 0) return;
    const found = await this.lookups.findModelsAround(scope, some);
    const amendments = found.map((call) => ({ ...call, amend: () => undefined }));
    await this.recordSpans.execute(scope, [], amendments);
  }

  /** A span with what events say about it. One that takes long to look into is merged once it is stored. */
  private sent(scope: Scope, { record, ...name }: NamedRecord, logged: LogContents | undefined) {
    const sent = viewOfItem(record.item);
    const isSmall = (): boolean => !isLargeJson(sent.output) && !isLargeJson(sent.metadata);
    const view = logged && isSmall() ? withLogs(sent, logged) : sent;
    const look = new StoredLook(isSmall, async (stored) => {
      return this.reader.merge(scope, { ...name, stored, other: jsonText(await writtenAhead(view)) });
    });
    return { ...name, look, record: logged ? { ...record, item: { ...record.item, ...view } } : record };
  }

  private count({ rejected, dropped, dialectErrors }: SpansPage, rejections: Rejections): void {
    rejections.addAll(rejected);
    this.metrics.rejected.inc(rejectedCount(rejected));
    this.metrics.dropped.inc(dropped);
    for (const [dialect, times] of Object.entries(dialectErrors ?? {})) this.metrics.countDialectError(dialect, times);
  }
}

const mayLackModel = ({ kind }: SpanRecord['item']): boolean => kind?.['model'] === UNKNOWN_MODEL;
/** A call that is sent once more keeps the model that it has from the span around it. */
const withModelOf = ({ model }: StoredSpan, item: SpanRecord['item']): SpanRecord['item'] =>
  model !== null && mayLackModel(item) ? { ...item, kind: { ...item.kind!, model } } : item;

const mayNameModel = ({ kind }: SpanRecord['item']): boolean => kind?.type === 'custom' && kind['model'] !== undefined;

const viewOfItem = ({ input, output, metadata }: SpanRecord['item']): LogView => ({
  input,
  output,
  metadata: metadata ?? {},
});
