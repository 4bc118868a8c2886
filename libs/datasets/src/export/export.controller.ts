import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { exportQuerySchema, type ExportQuery } from '@spandrel/contract';
import { CurrentScope, Operation } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { ExportDataset } from './export-dataset.js';
import { MEDIA_TYPE } from '../import/file-format.js';
import { DatasetId } from '../dataset-participants.js';

/** `GET /api/datasets/:id/export` (docs/spec/import-export.md#exporting-datapoints). */
@Controller('api/datasets/:id/export')
export class ExportController {
  constructor(private readonly exports: ExportDataset) {}

  @Get()
  @Operation({
    access: 'read',
    summary: 'All datapoints as one file',
    audited: ['dataset.exported'],
    answer: {
      mediaTypes: ['application/x-ndjson', 'application/json', 'text/csv'],
      description: 'A datapoint a line, row or item, with the members of its variant that have a value.',
      attachment: true,
    },
  })
  async exportDataset(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Query({ schema: exportQuerySchema }) { format }: ExportQuery,
  ): Promise<StreamableFile> {
    const { filename, content } = await this.exports.execute(scope, datasetId, format);
    return new StreamableFile(content, {
      type: MEDIA_TYPE[format],
      disposition: `attachment; filename="${filename}"`,
    });
  }
}
