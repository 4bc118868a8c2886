import { Controller, Param, Post, Query } from '@nestjs/common';
import { importQuerySchema, type ImportQuery, type ImportResult, importResultSchema } from '@spandrel/contract';
import {
  BodyStream,
  ClientGone,
  CurrentScope,
  PathId,
  StreamsBody,
  type Scope,
  type StreamedBody,
  Operation,
} from '@spandrel/kernel';
import { ImportFile } from './import-file.js';
import { datasetNotFound } from '../not-found.js';

/** `POST /api/datasets/:id/import` (docs/spec/import-export.md#importing-a-file). */
@Controller('api/datasets/:id/import')
export class ImportController {
  constructor(private readonly imports: ImportFile) {}

  @Post()
  @StreamsBody()
  @Operation({
    id: 'importDatapoints',
    access: 'write',
    summary: 'Add the datapoints of a file',
    description: 'JSONL, a JSON array or CSV with a header, recognised by file name or media type.',
    body: {
      mediaTypes: ['multipart/form-data', 'application/x-ndjson', 'application/json', 'text/csv'],
      description: 'A form with the field `file`, or the file itself.',
    },
    answer: importResultSchema,
    problems: ['dataset_not_found', 'validation_failed'],
  })
  import(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) datasetId: string,
    @Query({ schema: importQuerySchema }) query: ImportQuery,
    @BodyStream() body: StreamedBody,
    @ClientGone() gone: AbortSignal,
  ): Promise<ImportResult> {
    return this.imports.execute(scope, datasetId, query, body, gone);
  }
}
