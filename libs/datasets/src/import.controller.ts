import { Controller, Param, Post, Query } from '@nestjs/common';
import { importQuerySchema, type ImportQuery, type ImportResult } from '@spandrel/contract';
import { BodyStream, ClientGone, CurrentScope, StreamsBody, type Scope, type StreamedBody } from '@spandrel/kernel';
import { DatasetId } from './dataset-id.pipe.js';
import { ImportFile } from './import-file.js';

/** `POST /api/datasets/:id/import` (contract.md "Datasets and datapoints"). */
@Controller('api/datasets/:id/import')
export class ImportController {
  constructor(private readonly imports: ImportFile) {}

  @Post()
  @StreamsBody()
  import(
    @CurrentScope() scope: Scope,
    @Param('id', DatasetId) datasetId: string,
    @Query({ schema: importQuerySchema }) query: ImportQuery,
    @BodyStream() body: StreamedBody,
    @ClientGone() gone: AbortSignal,
  ): Promise<ImportResult> {
    return this.imports.run(scope, datasetId, query, body, gone);
  }
}
