import { Controller, Inject, Post, Query } from '@nestjs/common';
import { importLineSchema, importQuerySchema, importResultSchema, type ImportQuery } from '@spandrel/contract';
import {
  BodyStream,
  ClientGone,
  CurrentScope,
  Operation,
  PROGRESS_MEDIA_TYPE,
  ProgressAnswer,
  StreamsBody,
  type AnswerProgress,
  type StreamedBody,
} from '@spandrel/http';
import { LOGGER, type Logger, type Scope } from '@spandrel/kernel';
import { ImportFile, type ImportProgress } from './import-file.js';
import { DatasetId } from '../dataset-participants.js';

/** `POST /api/datasets/:id/import` (docs/spec/import-export.md#importing-a-file). */
@Controller('api/datasets/:id/import')
export class ImportController {
  constructor(
    private readonly imports: ImportFile,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Post()
  @StreamsBody()
  @Operation({
    access: 'write',
    summary: 'Add the datapoints of a file',
    description: 'JSONL, a JSON array or CSV with a header, recognised by file name or media type.',
    body: {
      mediaTypes: ['multipart/form-data', 'application/x-ndjson', 'application/json', 'text/csv'],
      description: 'A form with the field `file`, or the file itself.',
    },
    audited: ['dataset.imported'],
    answer: importResultSchema,
    otherAnswer: {
      status: 200,
      answer: {
        mediaTypes: [PROGRESS_MEDIA_TYPE],
        description:
          'With `Accept: application/x-ndjson`: lines of progress, the last with status and body of the answer.',
        schema: importLineSchema,
      },
    },
    problems: ['validation_failed'],
  })
  async importDatapoints(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Query({ schema: importQuerySchema }) query: ImportQuery,
    @BodyStream() body: StreamedBody,
    @ClientGone() gone: AbortSignal,
    @ProgressAnswer() answerProgress: AnswerProgress | undefined,
  ) {
    const received = await this.imports.receive(scope, datasetId, query, body);
    const progress: ImportProgress = { rows: 0 };
    const work = this.imports.execute(scope, datasetId, query, received, gone, progress);
    return answerProgress ? answerProgress({ work, progress: () => progress, logger: this.logger }) : work;
  }
}
