import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { exportJsonQuerySchema, exportJsonSchema, formatTimestamp, type ExportJsonQuery } from '@spandrel/contract';
import { CurrentReader, CurrentScope, Operation, type Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ExportEverything } from './export-everything.js';

/** `GET /api/export/json` (docs/spec/transfer.md#the-export). */
@Controller('api/export/json')
export class ExportJsonController {
  constructor(private readonly exports: ExportEverything) {}

  @Get()
  @Operation({
    id: 'exportJson',
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
  async export(
    @CurrentScope() scope: Scope,
    @Query({ schema: exportJsonQuerySchema }) { trace_id: traceId }: ExportJsonQuery,
    @CurrentReader() reader: Reader,
  ): Promise<StreamableFile> {
    const content =
      traceId === undefined
        ? await this.exports.execute(scope, { ...reader, patient: true })
        : await this.exports.exportTrace(scope, traceId, { ...reader, patient: true });
    const date = formatTimestamp(Date.now()).slice(0, 10);
    return new StreamableFile(content, {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="spandrel-export-${date}.json"`,
    });
  }
}
