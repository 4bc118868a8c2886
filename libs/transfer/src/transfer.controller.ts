import { Controller, Get, Param, Query, StreamableFile, HttpCode, Post } from '@nestjs/common';
import {
  bundleQuerySchema,
  importBundleResultSchema,
  type BundleQuery,
  exportJsonQuerySchema,
  exportJsonSchema,
  formatTimestamp,
  type ExportJsonQuery,
  importJsonResultSchema,
} from '@spandrel/contract';
import {
  CurrentScope,
  Operation,
  PathId,
  BodyStream,
  ClientGone,
  StreamsBody,
  type StreamedBody,
} from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ExportEverything } from './export-everything.js';
import { traceNotFound } from '@spandrel/tracing';
import { ImportEverything } from './import-everything.js';
import { WriteBundle } from './write-bundle.js';

/** A project as one JSON file, out and back in (docs/spec/transfer.md). */
@Controller('api')
export class TransferController {
  constructor(
    private readonly exports: ExportEverything,
    private readonly imports: ImportEverything,
    private readonly bundles: WriteBundle,
  ) {}

  @Get('export/json')
  @Operation({
    access: 'read',
    summary: 'Exports everything of the project as one file',
    description:
      'Traces, spans, datasets with datapoints and capture rules, connections without their keys, eval runs and queue items. Streamed as it is read; an error on the way cuts it off. `POST /api/import/json` takes it back.',
    audited: ['project.exported', 'trace.exported'],
    answer: {
      mediaTypes: ['application/json'],
      schema: exportJsonSchema,
      description: 'One file with all there is, or with one trace and its spans.',
      attachment: true,
    },
    problems: ['trace_not_found'],
  })
  async exportJson(
    @CurrentScope() scope: Scope,
    @Query({ schema: exportJsonQuerySchema }) { trace_id: traceId }: ExportJsonQuery,
  ): Promise<StreamableFile> {
    const content =
      traceId === undefined
        ? await this.exports.execute({ ...scope, patient: true })
        : await this.exports.exportTrace({ ...scope, patient: true }, traceId);
    const date = formatTimestamp(Date.now()).slice(0, 10);
    return new StreamableFile(content, {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="spandrel-export-${date}.json"`,
    });
  }

  @Get('traces/:id/bundle')
  @Operation({
    access: 'read',
    summary: 'A trace as one HTML file that opens without a server',
    description:
      'The page of the trace with its texts, scores and datapoints; other traces may be in the same file. It asks nothing of any server. `POST /api/import/bundle` takes it in.',
    audited: ['trace.exported'],
    answer: {
      mediaTypes: ['text/html'],
      description: 'The file. An error on the way cuts it off.',
      attachment: true,
    },
    problems: ['trace_not_found', 'range_too_large', 'unavailable'],
  })
  async getTraceBundle(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(traceNotFound)) id: string,
    @Query({ schema: bundleQuerySchema }) query: BundleQuery,
  ): Promise<StreamableFile> {
    const content = await this.bundles.execute({ ...scope, patient: true }, id, query);
    return new StreamableFile(content, {
      type: 'text/html; charset=utf-8',
      disposition: `attachment; filename="trace-${id.replaceAll(/[^\w.-]+/g, '-').slice(0, 100)}.html"`,
    });
  }

  @Post('import/bundle')
  @HttpCode(200)
  @StreamsBody()
  @Operation({
    access: 'write',
    summary: 'Imports the traces of one HTML file',
    description:
      'Takes traces, spans and scores of a file that `GET /api/traces/:id/bundle` made, by their ids, with the tag `imported`; sending it again changes nothing. A file of which a part was changed imports nothing.',
    audited: ['project.import_begun', 'project.imported'],
    answer: importBundleResultSchema,
    problems: ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout'],
    body: {
      mediaTypes: ['text/html', 'multipart/form-data'],
      description: 'The HTML file, or a form with it in the field `file`.',
    },
  })
  importBundle(@CurrentScope() scope: Scope, @BodyStream() body: StreamedBody, @ClientGone() gone: AbortSignal) {
    return this.imports.executeBundle(scope, body, gone);
  }

  @Post('import/json')
  @HttpCode(200)
  @StreamsBody()
  @Operation({
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
  importJson(@CurrentScope() scope: Scope, @BodyStream() body: StreamedBody, @ClientGone() gone: AbortSignal) {
    return this.imports.execute(scope, body, gone);
  }
}
