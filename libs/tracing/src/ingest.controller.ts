import { Body, Controller, HttpCode, Injectable, Post } from '@nestjs/common';
import {
  fieldErrors,
  INGEST_ITEMS_MAX,
  ingestResultSchema,
  ingestSchema,
  ingestTraceSchema,
  jsonWeight,
  type IngestRejection,
  type IngestResult,
} from '@spandrel/contract';
import { CurrentCaller, CurrentScope, Operation, type Caller } from '@spandrel/http';
import { Invalid, type Scope } from '@spandrel/kernel';
import type { z } from 'zod';
import { ScoresPort, type IngestedScores } from './reading/scores-port.js';
import { ingestedSpanSchema } from './write/apply-ingest.js';
import { RecordWrites } from './write/record-writes.js';
import type { Indexed } from './write/tracing-job.js';

/** What `POST /api/ingest` carries, items unchecked. */
interface IngestRequest {
  traces?: unknown[] | null | undefined;
  spans?: unknown[] | null | undefined;
  scores?: unknown[] | null | undefined;
}

/**
 * `POST /api/ingest`: checks and upserts items, each taken whole or rejected whole, traces before spans
 * (docs/spec/ingest.md#items-stand-alone).
 */
@Injectable()
export class Ingest {
  constructor(private readonly writes: RecordWrites) {}

  /**
   * @returns once every slice is durable.
   * @throws Invalid `payload_too_large` for too many items. Unavailable when the database is lost on the way: what was
   *   written before stays, and sending all of it again is safe.
   */
  async execute(scope: Scope, request: IngestRequest): Promise<IngestResult> {
    const traces = request.traces ?? [];
    const spans = request.spans ?? [];
    if (traces.length + spans.length + (request.scores?.length ?? 0) > INGEST_ITEMS_MAX) {
      throw new Invalid(
        'payload_too_large',
        `one ingest may carry at most ${INGEST_ITEMS_MAX} traces, spans and scores; send the others in another request`,
      );
    }
    const result: IngestResult = { accepted: { traces: 0, spans: 0 }, rejected: [] };
    const { jobItems } = this.writes;
    const all = traces.length + spans.length;
    for (let start = 0, end = 0; start < all; start = end) {
      end = sliceEnd(traces, spans, start, jobItems);
      const rejected: IngestRejection[] = [];
      const slice = {
        traces: checked('traces', ingestTraceSchema, traces, start, end, rejected),
        spans: checked('spans', ingestedSpanSchema, spans, start - traces.length, end - traces.length, rejected),
      };
      const { result: done } = await this.writes.execute(
        { type: 'ingest', scope, now: Date.now(), ...slice },
        'ingested',
      );
      result.accepted.traces += done.accepted.traces;
      result.accepted.spans += done.accepted.spans;
      result.rejected.push(...rejected, ...done.rejected);
    }
    result.rejected.sort(comparePlaces);
    return result;
  }
}

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
    @Body({ schema: ingestSchema }) body: z.output<typeof ingestSchema>,
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

/** What one transaction writes of an ingest, about, as `jsonWeight` counts: some 10 ms of the worst of values. */
const SLICE_WEIGHT = 262_144;

/** Where a slice ends that begins at `start`: it has so many items at most, and few large ones. */
function sliceEnd(traces: readonly unknown[], spans: readonly unknown[], start: number, itemsMax: number): number {
  const last = Math.min(start + itemsMax, traces.length + spans.length);
  let weight = 0;
  for (let at = start; at < last; at++) {
    weight += jsonWeight(at < traces.length ? traces[at] : spans[at - traces.length], SLICE_WEIGHT);
    if (weight > SLICE_WEIGHT) return Math.max(at, start + 1);
  }
  return last;
}

function checked<Item>(
  collection: IngestRejection['collection'],
  schema: z.ZodType<Item>,
  items: readonly unknown[],
  start: number,
  end: number,
  rejected: IngestRejection[],
): Indexed<Item>[] {
  const valid: Indexed<Item>[] = [];
  for (let index = Math.max(0, start); index < Math.min(end, items.length); index++) {
    const parsed = schema.safeParse(items[index]);
    if (parsed.success) {
      valid.push({ index, item: parsed.data });
    } else {
      const faults = fieldErrors(parsed.error).map(({ path, message }) =>
        path === '' ? message : `${path} ${message}`,
      );
      rejected.push({ index, collection, code: 'validation_failed', message: faults.join('; ') });
    }
  }
  return valid;
}

const comparePlaces = (a: IngestRejection, b: IngestRejection): number =>
  a.collection === b.collection ? a.index - b.index : a.collection === 'traces' ? -1 : 1;
