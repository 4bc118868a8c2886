import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import {
  BUNDLE_FORMAT,
  formatTimestamp,
  isStorableText,
  type BundleManifest,
  type BundleQuery,
  type DatapointResource,
} from '@spandrel/contract';
import { datapointJson, DatapointStore, DatasetStore } from '@spandrel/datasets';
import { streamSlices } from '@spandrel/http';
import { DomainError, Invalid, PACKAGE, type Scope } from '@spandrel/kernel';
import {
  maskDatapoint,
  maskedJson,
  maskScore,
  maskSpan,
  maskTrace,
  ProjectMasking,
  type BoundedMasking,
  type MaskingCalls,
} from '@spandrel/masking';
import { scoreResource, ScoreStore } from '@spandrel/scores';
import { Storage, type Position } from '@spandrel/storage';
import {
  costOfSpan,
  exportedTrace,
  PRICING,
  ReadTrace,
  spanTextsWith,
  SpanStore,
  traceNotFound,
  TraceStore,
  type PricingTable,
  type StoredSpan,
  type TraceRow,
} from '@spandrel/tracing';
import { EXPORT_PART, readPage, writePart, writtenManifest } from './bundle-file.js';
import { ExportCollections, oneSlice, type Slices } from './export-collections.js';
import { exportFile } from './export-everything.js';
import { TransferSettings } from './transfer.settings.js';

/** `GET /api/traces/:id/bundle`: traces as one page that opens without a server (docs/replay.md#one-file). */
@Injectable()
export class WriteBundle {
  constructor(
    private readonly traces: TraceStore,
    private readonly spans: SpanStore,
    private readonly reads: ReadTrace,
    private readonly collections: ExportCollections,
    private readonly scores: ScoreStore,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly masking: ProjectMasking,
    private readonly settings: TransferSettings,
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
    @Inject(PRICING) private readonly pricing: PricingTable,
  ) {}

  /**
   * @returns the file, read and compressed slice by slice as it is sent.
   * @throws NotFound `trace_not_found`; Invalid when it is to be masked and there are no rules; DomainError
   *   `range_too_large`; Unavailable where the page was not built.
   */
  async execute(scope: Scope, id: string, { mask, with: others = [] }: BundleQuery): Promise<Readable> {
    const rows = await Promise.all([...new Set([id, ...others])].map((one) => this.find(scope, one)));
    const masking = mask ? await this.masking.of(scope) : null;
    if (mask && !masking) {
      const message = 'the project has no masking rules; leave it out, or make some (PUT /api/projects/:id/masking)';
      throw new Invalid('validation_failed', `mask: ${message}`, [{ path: 'mask', message }]);
    }
    await this.assertSize(scope, rows);
    const { head, tail } = await readPage();
    for (const { id: targetId, spanCount: spans } of rows) {
      await this.audit.recordAlone(this.storage, { action: 'trace.exported', ...scope, targetId, details: { spans } });
    }
    return streamSlices(this.parts(scope, rows, masking), { head, between: '', tail: (end) => end + tail });
  }

  private async find(scope: Scope, id: string): Promise<TraceRow> {
    const trace = isStorableText(id) ? await this.traces.find(scope, id) : undefined;
    if (!trace) throw traceNotFound();
    return trace;
  }

  private async assertSize(scope: Scope, rows: readonly TraceRow[]): Promise<void> {
    const max = this.settings.bundleBytes;
    let bytes = 0;
    for (const { id } of rows) bytes += await this.spans.bytesOfTrace(scope, id);
    if (bytes <= max) return;
    const message = `the texts of ${rows.length === 1 ? 'the trace are' : 'these traces are'} ${bytes} bytes, more than ${max} (limits.bundle_bytes)`;
    throw new DomainError('range_too_large', message);
  }

  /** @returns the manifest, which has the digests of the parts. */
  private async *parts(
    scope: Scope,
    rows: readonly TraceRow[],
    masking: BoundedMasking | null,
  ): AsyncGenerator<string, string> {
    const createdAt = Date.now();
    const parts: BundleManifest['parts'] = [];
    const outline = { view: 'outline', preview: 0 } as const;
    for (const [index, { id }] of rows.entries()) {
      const content = await this.reads.execute(scope, id, outline, masking);
      yield* writePart(`trace-${index}`, content, parts);
    }
    const shown = await Promise.all(rows.map((row) => shownTrace(row, masking)));
    const file = await exportFile(createdAt, {
      traces: oneSlice(shown),
      spans: this.spansOf(scope, rows, masking),
      datasets: oneSlice([]),
      datapoints: oneSlice([]),
      scores: this.scoresOf(scope, rows, masking),
    });
    yield* writePart(EXPORT_PART, file, parts);
    const datapoints = this.datapointsOf(scope, rows, masking);
    yield* writePart('datapoints', Readable.from(datapoints, { objectMode: false }), parts);
    const traces = shown.map((text, index) => {
      const { name } = JSON.parse(text) as { name: string | null };
      return { id: rows[index]!.id, name, started_at: formatTimestamp(rows[index]!.startedAt) };
    });
    const made = { version: PACKAGE.version, created_at: formatTimestamp(createdAt), masked: masking !== null };
    return writtenManifest({ format: BUNDLE_FORMAT, ...made, traces, parts });
  }

  private async *spansOf(scope: Scope, rows: readonly TraceRow[], masking: BoundedMasking | null): Slices {
    for (const { id } of rows) {
      // The page shows how a cost came about; an import leaves it aside.
      const written = (span: StoredSpan) => spanTextsWith(span, { cost: costOfSpan(span, this.pricing) });
      for await (const slice of this.collections.spansOf(scope, id, written)) {
        if (!masking) yield slice;
        else for (const texts of slice) yield [await maskedJson<object>([texts].flat().join(''), masking, maskSpan)];
      }
    }
  }

  private async *scoresOf(scope: Scope, rows: readonly TraceRow[], masking: BoundedMasking | null): Slices {
    for (const { id } of rows) {
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await this.scores.list(scope, { trace_id: id, limit: SCORES, ...(cursor && { cursor }) });
        const scores = page.items.map(scoreResource);
        const shown = masking ? await masking.run((calls) => scores.map((score) => maskScore(calls, score))) : scores;
        yield shown.map((score) => JSON.stringify(score));
        cursor = page.nextCursor;
      }
    }
  }

  /** The datapoints that were made from spans, with the names of their datasets, as a JSON list. */
  private async *datapointsOf(
    scope: Scope,
    rows: readonly TraceRow[],
    masking: BoundedMasking | null,
  ): AsyncGenerator<string> {
    let between = '[';
    for (const { id: traceId } of rows) {
      for (let from: Position | undefined; ;) {
        const spanIds = await this.spans.idsInStartOrder(scope, traceId, from, SPANS);
        for await (const found of this.datapoints.madeFrom(scope, spanIds)) {
          const names = await this.datasets.findNames(scope, [...new Set(found.map(({ datasetId }) => datasetId))]);
          for (const row of found) {
            const shown = masking ? await maskedJson(datapointJson(row), masking, maskedKind) : datapointJson(row);
            const of = { trace_id: traceId, dataset_name: names.get(row.datasetId) };
            yield `${between}${shown.slice(0, -1)},${JSON.stringify(of).slice(1)}`;
            between = ',';
          }
        }
        const last = spanIds.length === SPANS && (await this.spans.find(scope, spanIds.at(-1)!));
        if (!last) break;
        from = { value: last.startedAt, id: last.id };
      }
    }
    yield between === '[' ? '[]' : ']';
  }
}

const maskedKind = (calls: MaskingCalls, datapoint: DatapointResource): DatapointResource => ({
  ...datapoint,
  kind: maskDatapoint(calls, datapoint.kind),
});

/** Spans of which datapoints are looked for at once. */
const SPANS = 1_000;

const SCORES = 1_000;

async function shownTrace(row: TraceRow, masking: BoundedMasking | null): Promise<string> {
  const text = exportedTrace(row);
  return masking ? maskedJson<object>(text, masking, maskTrace) : text;
}
