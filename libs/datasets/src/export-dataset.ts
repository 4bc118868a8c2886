import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { DatapointKind } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { datapointKind } from './datapoint-resource.js';
import { CURRENT } from './datapoint-visibility.store.js';
import type { DatapointRow } from './datapoint.entity.js';
import { DatapointStore } from './datapoint.store.js';
import type { DatasetRow } from './dataset.entity.js';
import { DatasetStore } from './dataset.store.js';
import { EXPORT_WRITER } from './export-writer.js';
import type { FileFormat } from './file-format.js';
import { datasetNotFound } from './not-found.js';

/** Datapoints read in one go. */
const SLICE = 1_000;
/** Datapoints written before the event loop turns. */
const WRITTEN_AT_ONCE = 200;

/** `GET /api/datasets/:id/export`: the datapoints of a dataset as a file. */
@Injectable()
export class ExportDataset {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
  ) {}

  /**
   * @returns the file, read and written slice by slice, so that a dataset of any size is exported in bounded memory.
   * @throws NotFound `dataset_not_found`, and what reading the first slice throws, before anything is written.
   */
  async run(
    scope: Scope,
    datasetId: string,
    format: FileFormat,
    options: LongReadOptions = {},
  ): Promise<{ filename: string; content: Readable }> {
    const dataset = await this.datasets.find(scope, datasetId);
    if (!dataset) throw datasetNotFound();
    const first = await this.slice(scope, datasetId, '', options);
    const content = Readable.from(this.write(scope, datasetId, format, first, options), { objectMode: false });
    return { filename: `${safeName(dataset)}.${format}`, content };
  }

  private async *write(
    scope: Scope,
    datasetId: string,
    format: FileFormat,
    first: DatapointRow[],
    options: LongReadOptions,
  ): AsyncGenerator<string> {
    const writer = EXPORT_WRITER[format];
    let lead = writer.head;
    for (let rows = first; rows.length > 0; rows = await this.slice(scope, datasetId, rows.at(-1)!.id, options)) {
      for (let start = 0; start < rows.length; start += WRITTEN_AT_ONCE) {
        const kinds: DatapointKind[] = rows.slice(start, start + WRITTEN_AT_ONCE).map(datapointKind);
        yield lead + writer.rows(kinds);
        lead = writer.between;
        await nextTurn();
      }
    }
    const end = (lead === writer.between ? '' : lead) + writer.tail;
    if (end !== '') yield end;
  }

  private slice(scope: Scope, datasetId: string, afterId: string, options: LongReadOptions): Promise<DatapointRow[]> {
    return this.datapoints.after(scope, datasetId, CURRENT, afterId, SLICE, options);
  }
}

/** The dataset's name as every file system takes it. */
function safeName({ name, id }: DatasetRow): string {
  const safe = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return safe === '' ? id : safe.slice(0, 100);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
