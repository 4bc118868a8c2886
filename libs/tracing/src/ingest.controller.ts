import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ingestSchema, ingestResultSchema } from '@spandrel/contract';
import { CurrentCaller, CurrentScope, Operation, type Caller } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import type { z } from 'zod';
import { ScoresPort, type IngestedScores } from './reading/scores-port.js';
import { Ingest } from './write/ingest.js';

type IngestBody = z.output<typeof ingestSchema>;

/** `POST /api/ingest` (docs/spec/ingest.md#items-stand-alone): 200 also when some items were rejected. */
@Controller('api/ingest')
export class IngestController {
  constructor(
    private readonly writer: Ingest,
    private readonly scores: ScoresPort,
  ) {}

  @Post()
  @HttpCode(200)
  @Operation({
    access: 'ingest',
    summary: 'Write many traces, spans and scores',
    description:
      'An upsert by id: sending it again changes nothing. All or nothing per item; 200 also when some were rejected.',
    answer: ingestResultSchema,
  })
  async ingest(
    @CurrentScope() scope: Scope,
    @CurrentCaller() caller: Caller | undefined,
    @Body({ schema: ingestSchema }) body: IngestBody,
  ) {
    const result = await this.writer.execute(scope, body);
    if (!body.scores) return result;
    // After the traces and spans of the same request, which they may be about.
    const { accepted, rejected } = await this.ingestScores(scope, body.scores, caller?.id ?? 'local');
    return { accepted: { ...result.accepted, scores: accepted }, rejected: [...result.rejected, ...rejected] };
  }

  private async ingestScores(scope: Scope, scores: readonly unknown[], author: string): Promise<IngestedScores> {
    if (this.scores.registered) return this.scores.registered.ingest(scope, scores, author);
    const refusal = { collection: 'scores', code: 'not_implemented', message: 'this server has no scores' } as const;
    return { accepted: 0, rejected: scores.map((_score, index) => ({ index, ...refusal })) };
  }
}
