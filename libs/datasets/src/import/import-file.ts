import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { DatapointKind, ImportQuery, ImportResult } from '@spandrel/contract';
import { CoreSettings, Invalid, LOGGER, type Logger, type Scope, type StreamedBody } from '@spandrel/kernel';
import { DatasetsSettings } from '../datasets.settings.js';
import { Storage } from '@spandrel/storage';
import { receiveUpload, type ReceivedFile, FileFault, UploadSpool } from '@spandrel/uploads';
import { datapointOfRow, RowFault } from './datapoint-of-row.js';
import { DatapointStore } from '../datapoint.store.js';
import { DatasetStore } from '../dataset.store.js';
import { fileFormat, type FileFormat } from './file-format.js';
import { ImportUpkeep } from './import-upkeep.js';
import { ImportStore } from './import.store.js';
import { ImportedColumns } from './imported-columns.js';
import { datasetNotFound } from '../not-found.js';
import { readRows } from './read-rows.js';
import { SkippedRows } from './skipped-rows.js';
import { type SourceRow } from './source-row.js';
import { StagedImport } from './staged-import.js';

/** Datapoints that one transaction writes: one statement on Postgres, a few milliseconds of the event loop on SQLite. */
const DATAPOINTS_AT_ONCE = 256;
/** Text of datapoints that one transaction writes, in UTF-16 units, about. */
const TEXT_AT_ONCE = 1024 * 1024;
const PROGRESS_ROWS = 100_000;

/**
 * `POST /api/datasets/:id/import`: a file becomes datapoints, all of them or none
 * (docs/spec/import-export.md#an-import-is-all-or-nothing).
 */
@Injectable()
export class ImportFile {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly imports: ImportStore,
    private readonly upkeep: ImportUpkeep,
    private readonly spool: UploadSpool,
    private readonly core: CoreSettings,
    private readonly settings: DatasetsSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @param gone fires when the client leaves; nothing is imported then.
   * @throws NotFound `dataset_not_found`, before the upload is read; what {@link receiveUpload} throws; Invalid
   *   `validation_failed` naming the line of the first row that is no datapoint.
   */
  async execute(
    scope: Scope,
    datasetId: string,
    { on_error: onError, filename }: ImportQuery,
    body: StreamedBody,
    gone: AbortSignal,
  ): Promise<ImportResult> {
    if (!(await this.datasets.find(scope, datasetId))) {
      body.stream.resume();
      throw datasetNotFound();
    }
    const received = await receiveUpload(body, this.spool, {
      bytesMax: this.settings.importFileBytes,
      formatOf: fileFormat,
      name: filename,
    });
    const { storage, datasets, datapoints, imports } = this;
    const staged = new StagedImport({ storage, datasets, datapoints, imports }, scope, datasetId);
    const columns = new ImportedColumns();
    const skipped = onError === 'skip' ? new SkippedRows() : undefined;
    const read = (row: SourceRow): DatapointKind | undefined =>
      skipped ? skipped.kindOf(row, columns) : kindOf(row, columns);
    const stop = AbortSignal.any([gone, this.upkeep.stopping]);
    try {
      await this.upkeep.run(staged.id, () => this.importRows(received, staged, read, stop));
      if (staged.size === 0) skipped?.assertKnownNames();
    } catch (error) {
      throw toInvalid(error);
    } finally {
      await received.file.close();
    }
    return { imported: staged.size, dataset_id: datasetId, ...columns.answer(), ...skipped?.answer() };
  }

  private async importRows(
    { file, format }: ReceivedFile<FileFormat>,
    staged: StagedImport,
    read: (row: SourceRow) => DatapointKind | undefined,
    stop: AbortSignal,
  ): Promise<void> {
    try {
      let kinds: string[] = [];
      let text = 0;
      const write = async (): Promise<void> => {
        stop.throwIfAborted();
        if (kinds.length > 0) await this.write(staged, kinds);
        kinds = [];
        text = 0;
      };
      for await (const rows of readRows(file.chunks(), format, this.core.bodyBytes)) {
        for (const row of rows) {
          const kind = read(row);
          if (kind === undefined) continue;
          const json = JSON.stringify(kind);
          kinds.push(json);
          text += json.length;
          if (kinds.length >= DATAPOINTS_AT_ONCE || text >= TEXT_AT_ONCE) await write();
        }
      }
      await write();
      if (staged.size > 0) await this.publish(staged);
    } catch (error) {
      if (staged.held) this.upkeep.finishLater(staged.held, staged.lastId);
      throw error;
    }
  }

  private async write(staged: StagedImport, kinds: readonly string[]): Promise<void> {
    const before = staged.size;
    await staged.add(kinds);
    if (Math.floor(before / PROGRESS_ROWS) < Math.floor(staged.size / PROGRESS_ROWS)) {
      this.logger.info({ import_id: staged.id, datapoints: staged.size }, 'importing');
    }
    await nextTurn();
  }

  private async publish(staged: StagedImport): Promise<void> {
    this.upkeep.finishLater(await staged.publish(), staged.lastId);
  }
}

function kindOf(row: SourceRow, columns: ImportedColumns): DatapointKind {
  try {
    return datapointOfRow(row, columns);
  } catch (error) {
    throw error instanceof RowFault ? new FileFault(row.line, error.message) : error;
  }
}

function toInvalid(error: unknown): unknown {
  if (!(error instanceof FileFault)) return error;
  const path = `line ${error.line}`;
  return new Invalid('validation_failed', `${path}: ${error.message}`, [{ path, message: error.message }]);
}
