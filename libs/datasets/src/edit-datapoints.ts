import { Injectable } from '@nestjs/common';
import type { DatapointKind, DeletedDatapoints } from '@spandrel/contract';
import { newId, type Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ChangeDatapoints } from './change-datapoints.js';
import type { DatapointRow } from './datapoint.entity.js';
import { datapointNotFound } from './not-found.js';

/** Datapoints as a person edits them: each call is a transaction of its own around {@link ChangeDatapoints}. */
@Injectable()
export class EditDatapoints {
  constructor(
    private readonly storage: Storage,
    private readonly changes: ChangeDatapoints,
  ) {}

  /** Adds a datapoint with the source `manual`. @throws NotFound `dataset_not_found`. */
  async create(scope: Scope, datasetId: string, kind: DatapointKind): Promise<DatapointRow> {
    const now = Date.now();
    const added = { id: newId(), kind, source: 'manual' as const, sourceSpanId: null };
    const [row] = await this.storage.write((tx) => this.changes.add(tx, scope, datasetId, [added], now));
    return row!;
  }

  /** Replaces a datapoint's kind, the result of a run included. @throws NotFound for the dataset or the datapoint. */
  replace(scope: Scope, datapoint: { datasetId: string; id: string; kind: DatapointKind }): Promise<DatapointRow> {
    const now = Date.now();
    return this.storage.write((tx) => this.changes.replace(tx, scope, datapoint, now));
  }

  /** Deletes a datapoint and what others keep about it. @throws NotFound for the dataset or the datapoint. */
  async delete(scope: Scope, datasetId: string, id: string): Promise<void> {
    const { missing } = await this.deleteMany(scope, datasetId, [id]);
    if (missing.length > 0) throw datapointNotFound();
  }

  /** Deletes those of the datapoints that are there, as one change of the dataset. @throws NotFound `dataset_not_found`. */
  async deleteMany(scope: Scope, datasetId: string, ids: readonly string[]): Promise<DeletedDatapoints> {
    const now = Date.now();
    const gone = await this.storage.write((tx) => this.changes.remove(tx, scope, datasetId, ids, now));
    return { deleted: gone.size, missing: [...new Set(ids)].filter((id) => !gone.has(id)) };
  }
}
