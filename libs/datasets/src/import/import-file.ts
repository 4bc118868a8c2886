import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import { jsonTextInPieces, type DatapointKind, type ImportQuery, type ImportResult } from '@spandrel/contract';
import type { StreamedBody } from '@spandrel/http';
import { CoreSettings, inTurns, Invalid, LOGGER, newId, Turn, type Logger, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { receiveUpload, type ReceivedFile, FileFault, UploadSpool } from '@spandrel/uploads';
import { DatasetsSettings } from '../datasets.settings.js';
import { datapointOfRow, RowFault, isEmptyRow, SkippedRows } from './datapoint-of-row.js';
import { DatasetStore } from '../dataset.store.js';
import { fileFormat, type FileFormat } from './file-format.js';
import { ImportUpkeep } from './import-upkeep.js';
import { ImportedColumns, type SourceRow } from './source-row.js';
import { datasetNotFound } from '../dataset-participants.js';
import { DatapointStore } from '../datapoint.store.js';
import { KnownContents } from './known-contents.js';
import { readRows } from './read-rows.js';
import { StagedBatch, type StagedImport, untilNotOvertaken } from './staged-import.js';

/** A line is logged whenever so many datapoints are written. */
const LOGGED_ROWS = 100_000;

export interface ImportProgress {
  rows: number;
}

/**
 * `POST /api/datasets/:id/import`: a file becomes datapoints, all of them or none
 * (docs/spec/import-export.md#an-import-is-all-or-nothing).
 */
@Injectable()
export class ImportFile {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly masking: ProjectMasking,
    private readonly upkeep: ImportUpkeep,
    private readonly spool: UploadSpool,
    private readonly core: CoreSettings,
    private readonly settings: DatasetsSettings,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Takes an upload in; it is then to be handed to {@link execute}.
   * @throws NotFound `dataset_not_found`, before the upload is read; what {@link receiveUpload} throws.
   */
  async receive(
    scope: Scope,
    datasetId: string,
    { filename }: ImportQuery,
    body: StreamedBody,
  ): Promise<ReceivedFile<FileFormat>> {
    if (!(await this.datasets.find(scope, datasetId))) {
      body.stream.resume();
      throw datasetNotFound();
    }
    const masking = await this.masking.of(scope);
    return receiveUpload(body, this.spool, {
      sealed: masking !== null,
      bytesMax: this.settings.importFileBytes,
      formatOf: fileFormat,
      name: filename,
    });
  }

  /**
   * @param received is closed at the end.
   * @param gone fires when the client leaves; nothing is imported then.
   * @param progress is called with how many rows have been read.
   * @throws Invalid `validation_failed` naming the line of the first row that is no datapoint.
   */
  async execute(
    scope: Scope,
    datasetId: string,
    query: ImportQuery,
    received: ReceivedFile<FileFormat>,
    gone: AbortSignal,
    progress: ImportProgress,
  ): Promise<ImportResult> {
    const work = () => this.importOnce(scope, datasetId, query, received, gone, progress);
    return untilNotOvertaken(work).finally(() => received.file.close());
  }

  private async importOnce(
    scope: Scope,
    datasetId: string,
    query: ImportQuery,
    received: ReceivedFile<FileFormat>,
    gone: AbortSignal,
    progress: ImportProgress,
  ): Promise<ImportResult> {
    progress.rows = 0;
    const staged = this.upkeep.begin(scope, datasetId, (tx, { name: targetName }, count, removed) => {
      const details = { datapoints: count, format: received.format, ...(removed > 0 && { removed }) };
      this.audit.record(tx, { action: 'dataset.imported', ...scope, targetId: datasetId, targetName, details });
    });
    const { bodyValues } = this.core;
    const columns = new ImportedColumns();
    const skipped = query.on_error === 'skip' ? new SkippedRows(bodyValues) : undefined;
    let emptyRows = 0;
    const read = async (row: SourceRow): Promise<DatapointKind | undefined> => {
      progress.rows++;
      if (isEmptyRow(row)) return void emptyRows++;
      return skipped ? skipped.kindOf(row, columns) : kindOf(row, bodyValues, columns);
    };
    const stop = AbortSignal.any([gone, this.upkeep.stopping]);
    try {
      await this.upkeep.run(staged, async () => {
        const dataset = await this.datasets.get(scope, datasetId);
        if (query.dedupe || query.replace) staged.lookedThroughAt = dataset.version;
        staged.contents = await KnownContents.read(this.datapoints, scope, dataset, query, stop);
        await this.importRows(received, staged, read, stop);
      });
      if (staged.size === 0 && !staged.contents?.duplicates) skipped?.assertKnownNames();
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      const path = `line ${error.line}`;
      throw new Invalid('validation_failed', `${path}: ${error.message}`, [{ path, message: error.message }]);
    }
    const { duplicates = 0, kept = 0 } = staged.contents ?? {};
    return {
      ...{ imported: staged.size + kept, dataset_id: datasetId, ...columns.answer(), ...skipped?.answer() },
      ...(emptyRows > 0 && { skipped_empty_rows: emptyRows }),
      ...(duplicates > 0 && { duplicates }),
      ...(query.replace && { removed: staged.removed }),
    };
  }

  private async importRows(
    { file, format }: ReceivedFile<FileFormat>,
    staged: StagedImport,
    read: (row: SourceRow) => Promise<DatapointKind | undefined>,
    stop: AbortSignal,
  ): Promise<void> {
    const batch = new StagedBatch(staged, stop);
    const turn = new Turn();
    const write = async (): Promise<void> => {
      const before = staged.size;
      await batch.flush();
      if (Math.floor(before / LOGGED_ROWS) < Math.floor(staged.size / LOGGED_ROWS)) {
        this.logger.info({ import_id: staged.id, datapoints: staged.size }, 'importing');
      }
    };
    for await (const rows of readRows(file.chunks(), format, this.core.bodyBytes)) {
      for (const row of rows) {
        if (turn.isOver()) await turn.next();
        const kind = await read(row);
        if (kind === undefined) continue;
        const json = await inTurns(jsonTextInPieces(kind));
        batch.put({ id: newId(), kind: json, source: 'file_upload', sourceSpanId: null });
        if (batch.isFull) await write();
      }
    }
    await write();
  }
}

async function kindOf(row: SourceRow, valuesMax: number, columns: ImportedColumns): Promise<DatapointKind> {
  try {
    return await datapointOfRow(row, valuesMax, columns);
  } catch (error) {
    throw error instanceof RowFault ? new FileFault(row.line, error.message) : error;
  }
}
