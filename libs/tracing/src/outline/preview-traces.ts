import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { TraceRow } from '../trace.entity.js';
import { traceListItemJson } from '../trace-resource.js';
import { FindTalks } from './find-talks.js';
import { NO_PREVIEW } from './span-outline.js';

/** Traces of a list with the beginnings of what their user asked and was answered (docs/spec/outlines.md#previews-of-traces). */
@Injectable()
export class PreviewTraces {
  constructor(private readonly talks: FindTalks) {}

  /**
   * @param preview code points of each preview; 0 leaves the members out.
   * @returns the JSON of each trace.
   */
  async execute(scope: Scope, traces: readonly TraceRow[], preview: number): Promise<string[]> {
    if (preview === 0) return traces.map((trace) => traceListItemJson(trace));
    const ids = traces.map(({ id }) => id);
    const talks = await this.talks.execute(scope, ids);
    const rootIds = [...talks.values()].flatMap(({ root }) => root ?? []);
    const roots = await this.talks.load(scope, rootIds, preview, true);
    const places = traces.map(({ id }) => {
      const { root, line = [] } = talks.get(id) ?? {};
      const own = roots.get(root ?? '') ?? NO_PREVIEW;
      const asked = own.inputPreview === null ? line[0]?.id : undefined;
      const answered = own.outputPreview === null ? line.at(-1)?.id : undefined;
      return { own, asked, answered, answer: line.at(-1)?.id ?? null };
    });
    const callIds = new Set(places.flatMap(({ asked, answered }) => [asked ?? [], answered ?? []].flat()));
    const calls = await this.talks.load(scope, [...callIds], preview);
    return traces.map((trace, at) => {
      const { own, asked, answered, answer } = places[at]!;
      return traceListItemJson(trace, {
        input_preview: own.inputPreview ?? calls.get(asked ?? '')?.inputPreview ?? null,
        output_preview: own.outputPreview ?? calls.get(answered ?? '')?.outputPreview ?? null,
        answer_span_id: answer,
      });
    });
  }
}
