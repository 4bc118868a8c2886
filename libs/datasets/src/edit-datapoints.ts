import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  withExpected,
  type DatapointKind,
  type DeletedDatapoints,
  type ExportSpan,
} from '@spandrel/contract';
import { AuditTrail } from '@spandrel/audit';
import { Invalid, newId, NotFound, type Scope } from '@spandrel/kernel';
import { maskDatapoint, ProjectMasking } from '@spandrel/masking';
import { Storage, writtenAhead } from '@spandrel/storage';
import { SpanStore } from '@spandrel/tracing';
import { ChangeDatapoints, type NewDatapoint } from './change-datapoints.js';
import { checkedDatapoint, explainFaults } from './datapoint-of-span.js';
import type { DatapointRow } from './datapoint.entity.js';
import { datapointNotFound, NO_SPAN } from './dataset-participants.js';

/** Datapoints as a person edits them: each call is a transaction of its own around {@link ChangeDatapoints}. */
@Injectable()
export class EditDatapoints {
  constructor(
    private readonly storage: Storage,
    private readonly changes: ChangeDatapoints,
    private readonly audit: AuditTrail,
    private readonly masking: ProjectMasking,
    private readonly spans: SpanStore,
  ) {}

  /** Adds a datapoint with the source `manual`. @throws NotFound `dataset_not_found`. */
  async create(scope: Scope, datasetId: string, kind: DatapointKind): Promise<DatapointRow> {
    return this.add(scope, datasetId, { kind, source: 'manual', sourceSpanId: null });
  }

  /**
   * Adds what a span becomes, expecting what the caller says if they do; one that still runs too, without output.
   * @throws NotFound `span_not_found`, `dataset_not_found`; Invalid when the span nests as deep as JSON may, so that the
   *   datapoint would nest deeper.
   */
  async createFromSpan(
    scope: Scope,
    datasetId: string,
    { span_id: spanId, expected }: ExportSpan,
  ): Promise<DatapointRow> {
    const span = isStorableText(spanId) ? await this.spans.find(scope, spanId) : undefined;
    if (!span) throw new NotFound('span_not_found', NO_SPAN);
    const { kind, faults } = await checkedDatapoint(span);
    if (!kind) throw new Invalid('validation_failed', explainFaults(faults), faults);
    // The span may have been stored before there were rules of masking.
    const expecting = expected === undefined ? kind : withExpected(kind, expected);
    return this.add(scope, datasetId, { kind: expecting, source: 'span_export', sourceSpanId: span.id });
  }

  private async add(scope: Scope, datasetId: string, datapoint: Omit<NewDatapoint, 'id'>): Promise<DatapointRow> {
    const now = Date.now();
    const kind = await writtenAhead(await maskKind(this.masking, scope, datapoint.kind));
    const added = { ...datapoint, id: newId(), kind };
    const [row] = await this.storage.write((tx) => this.changes.add(tx, scope, datasetId, [added], now));
    return row!;
  }

  /** Replaces a datapoint's kind, the result of a run included. @throws NotFound for the dataset or the datapoint. */
  async replace(
    scope: Scope,
    { datasetId, id, kind: given }: { datasetId: string; id: string; kind: DatapointKind },
  ): Promise<DatapointRow> {
    const now = Date.now();
    const kind = await writtenAhead(await maskKind(this.masking, scope, given));
    return this.storage.write((tx) => this.changes.replace(tx, scope, { datasetId, id, kind }, now));
  }

  /** Deletes a datapoint and what others keep about it. @throws NotFound for the dataset or the datapoint. */
  async delete(scope: Scope, datasetId: string, id: string): Promise<void> {
    const now = Date.now();
    await this.storage.write(async (tx) => {
      const gone = await this.changes.remove(tx, scope, datasetId, [id], now);
      if (gone.size === 0) throw datapointNotFound();
      const details = { dataset_id: datasetId };
      this.audit.record(tx, { action: 'datapoint.deleted', ...scope, targetId: id, details });
    });
  }

  /** Deletes those of the datapoints that are there, as one change of the dataset. @throws NotFound `dataset_not_found`. */
  async deleteMany(scope: Scope, datasetId: string, ids: readonly string[]): Promise<DeletedDatapoints> {
    const now = Date.now();
    const gone = await this.storage.write(async (tx) => {
      const removed = await this.changes.remove(tx, scope, datasetId, ids, now);
      const details = { datapoints_deleted: removed.size };
      if (removed.size > 0)
        this.audit.record(tx, { action: 'datapoints.deleted', ...scope, targetId: datasetId, details });
      return removed;
    });
    return { deleted: gone.size, missing: [...new Set(ids)].filter((id) => !gone.has(id)) };
  }
}

/** A datapoint by the masking rules of its project, as it may be stored. */
export async function maskKind(rules: ProjectMasking, scope: Scope, kind: DatapointKind): Promise<DatapointKind> {
  const masking = await rules.of(scope);
  return masking ? masking.run((calls) => maskDatapoint(calls, kind)) : kind;
}
