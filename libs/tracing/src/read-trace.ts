import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { ReadTraceQuery, ScoreResource } from '@spandrel/contract';
import { itemTexts, streamSlices, type Texts } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { maskScore, maskSpan, maskTrace, type BoundedMasking } from '@spandrel/masking';
import type { Position } from '@spandrel/storage';
import { spanOutline, type OutlinedSpan } from './outline/span-outline.js';
import { SpanOutlineStore } from './outline/span-outline.store.js';
import type { SpanRow } from './span.entity.js';
import { traceNotFound } from './write/apply-job.js';
import { ScoresPort } from './reading/scores-port.js';
import { spanTexts } from './span-json.js';
import { SpanStore } from './span.store.js';
import { TraceStore } from './trace.store.js';
import { traceListItem, traceListItemJson } from './trace-resource.js';

/** Spans read in one go; a trace may have tens of thousands. */
const SLICE = 1_000;

/** `GET /api/traces/:id`: the trace and all of its spans in start order (docs/spec/traces.md#reading-a-trace). */
@Injectable()
export class ReadTrace {
  constructor(
    private readonly traces: TraceStore,
    private readonly store: SpanStore,
    private readonly outlines: SpanOutlineStore,
    private readonly scores: ScoresPort,
  ) {}

  /**
   * @returns the JSON of `{trace, spans, count, scores}`, read and written slice by slice, so that a trace of any size is shown
   *   whole in bounded memory.
   * @param masking replaces what is in the names and metadata; the previews, which are cut, are left out then.
   * @param scoresFor the scores that are shown, of all that the trace has.
   * @throws NotFound `trace_not_found`, and what reading the first slice throws, before anything is written.
   */
  async execute(
    scope: Scope,
    id: string,
    { view, preview }: ReadTraceQuery,
    masking: BoundedMasking | null = null,
    scoresFor: (scores: ScoreResource[]) => ScoreResource[] = (scores) => scores,
  ): Promise<Readable> {
    const trace = await this.traces.find(scope, id);
    if (!trace) throw traceNotFound();
    const shown = masking
      ? JSON.stringify(await masking.run((calls) => maskTrace(calls, traceListItem(trace))))
      : traceListItemJson(trace);
    const slices =
      view === 'outline'
        ? this.slices(
            scope,
            id,
            (of, ids) => this.outlines.loadSome(of, ids, preview),
            (span) => outlineText(span, masking),
          )
        : this.slices(scope, id, (of, ids) => this.store.loadSome(of, ids), spanTexts);
    const found = scoresFor((await this.scores.registered?.listOf(scope, 'trace', id)) ?? []);
    const scores = masking ? await masking.run((calls) => found.map((score) => maskScore(calls, score))) : found;
    return streamSlices(slices, {
      head: `{"trace":${shown},"spans":[`,
      between: ',',
      tail: (count) => `],"count":${count}${scores.length > 0 ? `,"scores":${JSON.stringify(scores)}` : ''}}`,
    });
  }

  /** @returns how many spans there were. */
  private async *slices<Row extends SpanRow>(
    scope: Scope,
    traceId: string,
    load: (scope: Scope, ids: readonly string[]) => Promise<Row[]>,
    show: (span: Row) => Texts | Promise<Texts>,
  ): AsyncGenerator<Iterable<string>, number> {
    let count = 0;
    for (let from: Position | undefined; ;) {
      const patient = { ...scope, patient: from !== undefined };
      const spans = await load(patient, await this.store.idsInStartOrder(patient, traceId, from, SLICE));
      const last = spans.at(-1);
      if (!last) return count;
      count += spans.length;
      yield itemTexts(await Promise.all(spans.map(show)), (index) => (index === 0 ? '' : ','));
      from = { value: last.startedAt, id: last.id };
    }
  }
}

function outlineText(span: OutlinedSpan, masking: BoundedMasking | null): string | Promise<string> {
  const outline = spanOutline(span);
  if (!masking) return JSON.stringify(outline);
  const uncut = { ...outline, input_preview: null, output_preview: null };
  return Promise.resolve(masking.run((calls) => maskSpan(calls, uncut))).then((masked) => JSON.stringify(masked));
}
