import { Controller, HttpCode, Post } from '@nestjs/common';
import { importJsonResultSchema, type ImportJsonResult } from '@spandrel/contract';
import { BodyStream, ClientGone, CurrentScope, Operation, StreamsBody, type StreamedBody } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ImportEverything } from './import-everything.js';

/** `POST /api/import/json` (docs/spec/transfer.md#the-import). */
@Controller('api/import/json')
export class ImportJsonController {
  constructor(private readonly imports: ImportEverything) {}

  @Post()
  @HttpCode(200)
  @StreamsBody()
  @Operation({
    id: 'importJson',
    access: 'write',
    summary: 'Imports the file of an export',
    description:
      'Upserts by id: what exists takes the values of the file, nothing is deleted, and sending the file again changes nothing. A file with a fault imports nothing.',
    audited: ['project.import_begun', 'project.imported'],
    answer: importJsonResultSchema,
    problems: ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout'],
    body: {
      mediaTypes: ['application/json', 'multipart/form-data'],
      description: 'The JSON of an export, or a form with it in the field `file`.',
    },
  })
  import(
    @CurrentScope() scope: Scope,
    @BodyStream() body: StreamedBody,
    @ClientGone() gone: AbortSignal,
  ): Promise<ImportJsonResult> {
    return this.imports.execute(scope, body, gone);
  }
}
