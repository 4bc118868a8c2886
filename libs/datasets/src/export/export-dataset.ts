import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import { streamSlices } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { Storage, type LongReadOptions } from '@spandrel/storage';
import { CURRENT } from '../snapshots/datapoint-visibility.sql.js';
import type { DatapointRow } from '../datapoint.entity.js';
import { DatapointStore } from '../datapoint.store.js';
import type { DatasetRow } from '../dataset.entity.js';
import { DatasetStore } from '../dataset.store.js';
import { EXPORT_WRITER } from './export-writer.js';
import type { FileFormat } from '../import/file-format.js';
import { datasetNotFound } from '../not-found.js';

/** Datapoints read in one go. */
const SLICE = 1_000;

/** `GET /api/datasets/:id/export`: the datapoints of a dataset as a file. */
@Injectable()
export class ExportDataset {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @returns the file, read and written slice by slice, so that a dataset of any size is exported in bounded memory.
   * It is in the audit log before anything of it is sent.
   * @throws NotFound `dataset_not_found`, and what reading the first slice throws, before anything is written.
   */
  async execute(
    scope: Scope,
    datasetId: string,
    format: FileFormat,
    options: LongReadOptions = {},
  ): Promise<{ filename: string; content: Readable }> {
    const dataset = await this.datasets.find(scope, datasetId);
    if (!dataset) throw datasetNotFound();
    const { head, rows, between, tail } = EXPORT_WRITER[format];
    const slices = this.slices(scope, datasetId, rows, options);
    const content = await streamSlices(slices, { head, between, tail: () => tail });
    const target = { targetId: datasetId, targetName: dataset.name };
    const details = { datapoints: dataset.datapointCount, format };
    await this.audit.recordAlone(this.storage, { action: 'dataset.exported', ...scope, ...target, details });
    return { filename: `${safeName(dataset)}.${format}`, content };
  }

  private async *slices(
    scope: Scope,
    datasetId: string,
    toTexts: (rows: readonly DatapointRow[]) => Iterable<string>,
    options: LongReadOptions,
  ): AsyncGenerator<Iterable<string>> {
    for (let afterId = ''; ;) {
      const rows = await this.datapoints.after(scope, datasetId, CURRENT, afterId, SLICE, options);
      const last = rows.at(-1);
      if (!last) return;
      yield toTexts(rows);
      afterId = last.id;
    }
  }
}

/** The dataset's name as every file system takes it. */
function safeName({ name, id }: DatasetRow): string {
  const safe = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '');
  return safe === '' ? id : safe.slice(0, 100);
}
