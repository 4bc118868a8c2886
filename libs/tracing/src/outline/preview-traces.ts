import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import type { TraceRow } from '../trace.entity.js';
import { traceListItemJson } from '../trace-resource.js';
import { modelCounts } from '../write/trace-rollup.js';
import { NO_PREVIEW, type OutlinedSpan } from './span-outline.js';
import { SpanOutlineStore } from './span-outline.store.js';

/** Traces of a list with the beginnings of what was asked and answered last (docs/spec/outlines.md#previews-of-traces). */
@Injectable()
export class PreviewTraces {
  constructor(private readonly outlines: SpanOutlineStore) {}

  /**
   * @param preview code points of each preview; 0 leaves the members out.
   * @returns the JSON of each trace.
   */
  async execute(
    scope: Scope,
    traces: readonly TraceRow[],
    preview: number,
    options: LongReadOptions,
  ): Promise<string[]> {
    if (preview === 0) return traces.map((trace) => traceListItemJson(trace));
    // A call of a model names one, which the roll-up of its trace knows.
    const withModels = traces.filter((trace) => modelCounts(trace).length > 0).map(({ id }) => id);
    const calls = await this.outlines.lastCalls(scope, withModels, options);
    const previews = await this.previewsOf(scope, [...calls.values()], preview, options);
    return traces.map((trace) => {
      const { inputPreview, outputPreview } = previews.get(calls.get(trace.id) ?? '') ?? NO_PREVIEW;
      return traceListItemJson(trace, { input_preview: inputPreview, output_preview: outputPreview });
    });
  }

  /** The outlines of calls, by id; a page of traces is whole however large they are. */
  private async previewsOf(
    scope: Scope,
    ids: readonly string[],
    preview: number,
    options: LongReadOptions,
  ): Promise<Map<string, OutlinedSpan>> {
    const found = new Map<string, OutlinedSpan>();
    for (let at = 0; at < ids.length;) {
      const wanted = ids.slice(at);
      const loaded = await this.outlines.loadSome(scope, wanted, preview, options);
      for (const span of loaded) found.set(span.id, span);
      // A span deleted meanwhile is passed over.
      at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    }
    return found;
  }
}
