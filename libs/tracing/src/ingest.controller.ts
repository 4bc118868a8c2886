import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ingestSchema, type IngestResult, ingestResultSchema } from '@spandrel/contract';
import { CurrentScope, Operation } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import type { z } from 'zod';
import { Ingest } from './write/ingest.js';

type IngestBody = z.output<typeof ingestSchema>;

/** `POST /api/ingest` (docs/spec/ingest.md#items-stand-alone): 200 also when some items were rejected. */
@Controller('api/ingest')
export class IngestController {
  constructor(private readonly ingest: Ingest) {}

  @Post()
  @HttpCode(200)
  @Operation({
    id: 'ingest',
    access: 'ingest',
    summary: 'Write many traces and spans',
    description:
      'An upsert by id: sending it again changes nothing. All or nothing per item; 200 also when some were rejected.',
    answer: ingestResultSchema,
  })
  create(@CurrentScope() scope: Scope, @Body({ schema: ingestSchema }) body: IngestBody): Promise<IngestResult> {
    return this.ingest.execute(scope, body);
  }
}
