import { Injectable } from '@nestjs/common';
import type { ExportCollection, ImportJsonResult } from '@spandrel/contract';
import { RestoreDatasets, type OpenVersion } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { RestoreRecords, type Indexed } from '@spandrel/tracing';
import type { ImportItems } from './import-items.js';

/** Items that are to be written together. */
export type ImportBatch = { [Collection in ExportCollection]: Indexed<ImportItems[Collection]>[] };

export const emptyBatch = (): ImportBatch => ({ traces: [], spans: [], datasets: [], datapoints: [] });

/** Items that an answer lists one by one. */
const REJECTED_LISTED_MAX = 1_000;

/** What has become of an import so far. */
export class ImportProgress {
  readonly result: ImportJsonResult = {
    imported: { traces: 0, spans: 0, datasets: 0, datapoints: 0 },
    rejected: [],
    rejected_count: 0,
  };
  /** The version that datapoints are being brought back under. */
  open: OpenVersion | undefined;

  reject(item: ImportJsonResult['rejected'][number]): void {
    this.result.rejected_count++;
    if (this.result.rejected.length < REJECTED_LISTED_MAX) this.result.rejected.push(item);
  }

  /** What was imported, in words. */
  toString(): string {
    const { traces, spans, datasets, datapoints } = this.result.imported;
    return `${traces} traces, ${spans} spans, ${datasets} datasets and ${datapoints} datapoints`;
  }
}

/** Writes items of an import: what others belong to first, each kind in a transaction of its own. */
@Injectable()
export class WriteImportBatch {
  constructor(
    private readonly records: RestoreRecords,
    private readonly datasets: RestoreDatasets,
  ) {}

  /** @throws Unavailable when the database is lost. */
  async execute(scope: Scope, batch: ImportBatch, progress: ImportProgress): Promise<void> {
    const { imported } = progress.result;
    if (batch.traces.length + batch.spans.length > 0) {
      const { accepted, rejected } = await this.records.execute(scope, batch.traces, batch.spans);
      imported.traces += accepted.traces;
      imported.spans += accepted.spans;
      for (const { collection, index, code, message } of rejected) {
        progress.reject({ collection, index, code, message });
      }
    }
    if (batch.datasets.length > 0) {
      await this.datasets.restoreDatasets(
        scope,
        batch.datasets.map(({ item }) => item),
      );
      imported.datasets += batch.datasets.length;
    }
    if (batch.datapoints.length > 0) await this.writeDatapoints(scope, batch, progress);
  }

  private async writeDatapoints(scope: Scope, { datapoints }: ImportBatch, progress: ImportProgress): Promise<void> {
    const items = datapoints.map(({ item }) => item);
    const { rejected, open } = await this.datasets.restoreDatapoints(scope, items, progress.open);
    progress.open = open;
    const lost = new Set(rejected);
    for (const { index, item } of datapoints) {
      if (!lost.has(item)) {
        progress.result.imported.datapoints++;
        continue;
      }
      const message = 'there is no dataset with this dataset_id';
      progress.reject({ collection: 'datapoints', index, code: 'dataset_not_found', message });
    }
  }
}
