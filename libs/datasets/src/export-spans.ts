import { Injectable } from '@nestjs/common';
import { isStorableText, jsonTextInPieces, type ErrorCode, type ExportedSpans } from '@spandrel/contract';
import { inTurns, newId, type Scope, Invalid, NotFound } from '@spandrel/kernel';
import { ProjectMasking, maskDatapoint } from '@spandrel/masking';
import { Storage, writtenAhead } from '@spandrel/storage';
import { SpanStore, type StoredSpan } from '@spandrel/tracing';
import { checkedDatapoint, explainFaults } from './datapoint-of-span.js';
import { DatapointStore } from './datapoint.store.js';
import { DatasetStore } from './dataset.store.js';
import { ImportUpkeep } from './import/import-upkeep.js';
import { ImportStore } from './import/import.store.js';
import { StagedBatch, StagedImport } from './import/staged-import.js';
import { datasetNotFound, NO_SPAN } from './dataset-participants.js';
import { ChangeDatapoints } from './change-datapoints.js';
import type { DatapointRow } from './datapoint.entity.js';

type Created = ExportedSpans['created'][number];
/** Why a span did not become a datapoint. */
interface Refusal {
  code: ErrorCode;
  message: string;
}

/**
 * `POST /api/datasets/:id/export-spans`: spans become datapoints, those that can, as one change of the dataset. They go
 * the way of an import (ADR 0007), so that spans of any size neither fill the memory nor hold up other writers.
 */
@Injectable()
export class ExportSpansToDataset {
  constructor(
    private readonly storage: Storage,
    private readonly spans: SpanStore,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly imports: ImportStore,
    private readonly masking: ProjectMasking,
    private readonly upkeep: ImportUpkeep,
  ) {}

  /** @throws NotFound `dataset_not_found`. */
  async execute(scope: Scope, datasetId: string, spanIds: readonly string[]): Promise<ExportedSpans> {
    const { storage, datasets, datapoints, imports, masking } = this;
    if (!(await datasets.find(scope, datasetId))) throw datasetNotFound();
    const ids = [...new Set(spanIds)];
    const staged = new StagedImport({ storage, datasets, datapoints, imports, masking }, scope, datasetId);
    const created: Created[] = [];
    const refused = new Map<string, Refusal>();
    await this.upkeep.run(staged, async () => {
      const batch = new StagedBatch(staged, this.upkeep.stopping);
      for await (const loaded of spansInSlices(this.spans, scope, ids.filter(isStorableText))) {
        for (const span of loaded) {
          const outcome = await datapointIn(batch, span);
          if ('code' in outcome) refused.set(span.id, outcome);
          else created.push(outcome);
          if (batch.isFull) await batch.flush();
        }
      }
      await batch.flush();
    });
    const made = new Set(created.map(({ span_id }) => span_id));
    const rejected = ids
      .filter((id) => !made.has(id))
      .map((id) => ({ span_id: id, ...(refused.get(id) ?? { code: 'span_not_found', message: NO_SPAN }) }));
    return { created, rejected };
  }
}

/** Puts what a span becomes into a batch. */
async function datapointIn(batch: StagedBatch, span: StoredSpan): Promise<Created | Refusal> {
  const { kind, faults } = await checkedDatapoint(span);
  if (!kind) return { code: 'validation_failed', message: explainFaults(faults) };
  const id = newId();
  batch.put({ id, kind: await inTurns(jsonTextInPieces(kind)), source: 'span_export', sourceSpanId: span.id });
  return { span_id: span.id, datapoint_id: id };
}

/** `POST /api/datasets/:id/export-span`: a span becomes a datapoint; one that still runs too, without output. */
@Injectable()
export class ExportSpanToDataset {
  constructor(
    private readonly storage: Storage,
    private readonly spans: SpanStore,
    private readonly changes: ChangeDatapoints,
    private readonly masking: ProjectMasking,
  ) {}

  /**
   * @throws NotFound `span_not_found`, `dataset_not_found`; Invalid when the span nests as deep as JSON may, so that the
   *   datapoint would nest deeper.
   */
  async execute(scope: Scope, datasetId: string, spanId: string): Promise<DatapointRow> {
    const span = isStorableText(spanId) ? await this.spans.find(scope, spanId) : undefined;
    if (!span) throw new NotFound('span_not_found', NO_SPAN);
    const { kind, faults } = await checkedDatapoint(span);
    if (!kind) throw new Invalid('validation_failed', explainFaults(faults), faults);
    // The span may have been stored before there were rules.
    const masking = await this.masking.of(scope);
    const masked = masking ? await masking.run((calls) => maskDatapoint(calls, kind)) : kind;
    const added = {
      id: newId(),
      kind: await writtenAhead(masked),
      source: 'span_export' as const,
      sourceSpanId: span.id,
    };
    const now = Date.now();
    const [row] = await this.storage.write((tx) => this.changes.add(tx, scope, datasetId, [added], now));
    return row!;
  }
}

/** The spans of some ids, in their order, as many at a time as fit into memory; those that are not there are left out. */
export async function* spansInSlices(
  spans: Pick<SpanStore, 'loadSome'>,
  scope: Scope,
  ids: readonly string[],
): AsyncGenerator<StoredSpan[]> {
  for (let at = 0; at < ids.length;) {
    const wanted = ids.slice(at);
    const loaded = await spans.loadSome(scope, wanted, {});
    // One that is gone is passed over, also where nothing else was loaded.
    at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    yield loaded;
  }
}
