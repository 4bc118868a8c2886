import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { exportQuerySchema, type ExportQuery } from '@spandrel/contract';
import { ClientGone, CurrentScope, type Scope } from '@spandrel/kernel';
import { DatasetId } from './dataset-id.pipe.js';
import { ExportDataset } from './export-dataset.js';
import { MEDIA_TYPE } from './file-format.js';

/** `GET /api/datasets/:id/export` (contract.md "Datasets and datapoints"). */
@Controller('api/datasets/:id/export')
export class ExportController {
  constructor(private readonly exports: ExportDataset) {}

  @Get()
  async export(
    @CurrentScope() scope: Scope,
    @Param('id', DatasetId) datasetId: string,
    @Query({ schema: exportQuerySchema }) { format }: ExportQuery,
    @ClientGone() signal: AbortSignal,
  ): Promise<StreamableFile> {
    const { filename, content } = await this.exports.run(scope, datasetId, format, { signal });
    return new StreamableFile(content, {
      type: MEDIA_TYPE[format],
      disposition: `attachment; filename="${filename}"`,
    });
  }
}
