import { Injectable } from '@nestjs/common';
import type { DatapointKind, DeletedDatapoints } from '@spandrel/contract';
import { AuditTrail } from '@spandrel/audit';
import { newId, type Scope } from '@spandrel/kernel';
import { maskDatapoint, ProjectMasking } from '@spandrel/masking';
import { Storage, writtenAhead } from '@spandrel/storage';
import { ChangeDatapoints } from './change-datapoints.js';
import type { DatapointRow } from './datapoint.entity.js';
import { datapointNotFound } from './dataset-participants.js';

/** Datapoints as a person edits them: each call is a transaction of its own around {@link ChangeDatapoints}. */
@Injectable()
export class EditDatapoints {
  constructor(
    private readonly storage: Storage,
    private readonly changes: ChangeDatapoints,
    private readonly audit: AuditTrail,
    private readonly masking: ProjectMasking,
  ) {}

  /** Adds a datapoint with the source `manual`. @throws NotFound `dataset_not_found`. */
  async create(scope: Scope, datasetId: string, kind: DatapointKind): Promise<DatapointRow> {
    const now = Date.now();
    const masking = await this.masking.of(scope);
    const masked = masking ? await masking.run((calls) => maskDatapoint(calls, kind)) : kind;
    const added = { id: newId(), kind: await writtenAhead(masked), source: 'manual' as const, sourceSpanId: null };
    const [row] = await this.storage.write((tx) => this.changes.add(tx, scope, datasetId, [added], now));
    return row!;
  }

  /** Replaces a datapoint's kind, the result of a run included. @throws NotFound for the dataset or the datapoint. */
  async replace(
    scope: Scope,
    { datasetId, id, kind: given }: { datasetId: string; id: string; kind: DatapointKind },
  ): Promise<DatapointRow> {
    const now = Date.now();
    const masking = await this.masking.of(scope);
    const kind = await writtenAhead(masking ? await masking.run((calls) => maskDatapoint(calls, given)) : given);
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
