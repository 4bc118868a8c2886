import { Controller, Param, Post, Query } from '@nestjs/common';
import { importQuerySchema, type ImportQuery, type ImportResult } from '@spandrel/contract';
import {
  BodyStream,
  ClientGone,
  CurrentScope,
  PathId,
  StreamsBody,
  type Scope,
  type StreamedBody,
} from '@spandrel/kernel';
import { ImportFile } from './import-file.js';
import { datasetNotFound } from './not-found.js';

/** `POST /api/datasets/:id/import` (contract.md "Datasets and datapoints"). */
@Controller('api/datasets/:id/import')
export class ImportController {
  constructor(private readonly imports: ImportFile) {}

  @Post()
  @StreamsBody()
  import(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) datasetId: string,
    @Query({ schema: importQuerySchema }) query: ImportQuery,
    @BodyStream() body: StreamedBody,
    @ClientGone() gone: AbortSignal,
  ): Promise<ImportResult> {
    return this.imports.run(scope, datasetId, query, body, gone);
  }
}
