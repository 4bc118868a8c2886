import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { LEVELS_ABOVE, mainLine, type LineSpan } from './main-line.js';
import type { OutlinedSpan } from './span-outline.js';
import { SpanOutlineStore } from './span-outline.store.js';

/** Where a trace has what its user asked and was answered. */
export interface Talk {
  /** The first span without a parent; `null` where that is a call of a model. */
  root: string | null;
  /** Calls of models, the first and the last ones, without those beside the main line. */
  line: readonly LineSpan[];
}

/** Finds the conversation with the user in traces (docs/spec/conversations.md#question-and-answer-of-a-trace). */
@Injectable()
export class FindTalks {
  constructor(private readonly outlines: SpanOutlineStore) {}

  /** @returns by trace. */
  async execute(scope: Scope, traceIds: readonly string[]): Promise<Map<string, Talk>> {
    const places = await this.outlines.talkPlaces(scope, traceIds);
    const calls = [...places.values()].flatMap((place) => place.calls);
    const spans = new Map<string, LineSpan>();
    for (let [level, ids] = [0, calls]; level <= LEVELS_ABOVE && ids.length > 0; level++) {
      const loaded = await this.load(scope, ids, 0);
      for (const [id, span] of loaded) spans.set(id, span);
      const above = new Set([...loaded.values()].flatMap(({ parentId }) => parentId ?? []));
      ids = [...above].filter((id) => !spans.has(id));
    }
    return new Map(
      [...places].map(([traceId, place]) => [
        traceId,
        {
          root: place.root,
          line: mainLine(
            place.calls.flatMap((id) => spans.get(id) ?? []),
            spans,
          ),
        },
      ]),
    );
  }

  /**
   * The outlines of spans, by id, all of them however large they are.
   * @param preview code points of each preview. @param asTalk whether these are questions and answers alone.
   */
  async load(
    scope: Scope,
    ids: readonly string[],
    preview: number,
    asTalk = false,
  ): Promise<Map<string, OutlinedSpan>> {
    const found = new Map<string, OutlinedSpan>();
    for (let at = 0; at < ids.length;) {
      const wanted = ids.slice(at);
      const loaded = await this.outlines.loadSome(scope, wanted, preview, asTalk);
      for (const span of loaded) found.set(span.id, span);
      // A span deleted meanwhile is passed over.
      at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    }
    return found;
  }
}
