import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
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

/** What of a span says whether it belongs to the main line of its trace. */
export type LineSpan = Pick<OutlinedSpan, 'id' | 'parentId' | 'name' | 'kind' | 'kindType' | 'startedAt'>;

/** Names and kinds of what looks at questions and answers, or names them, and is no part of what the user reads. */
const BESIDE = /judge|guard|moderat|evaluat|grader|grading|scorer|safety|critique|check|verif|title/i;

/** Parents of a call that are looked at: a guardrail of the OpenAI Agents SDK has an agent between itself and its call. */
const LEVELS_ABOVE = 2;

/** The kind's own word is in its JSON where the type is `custom`. */
function isBeside({ name, kindType, kind, parentId }: LineSpan, isItself: boolean): boolean {
  const { kind: word } = kindType === 'custom' ? (JSON.parse(kind) as { kind?: unknown }) : {};
  // Above a call the name of a root is that of the whole trace.
  const isNamed = (isItself || parentId !== null) && BESIDE.test(name);
  return isNamed || BESIDE.test(kindType) || (typeof word === 'string' && BESIDE.test(word));
}

/**
 * The calls of a trace by which its user was answered, in their order: without those of judges, guards and the like, by
 * their name, their kind and those of their parents; all where nothing else is left.
 * @param spans the calls and what is above them, by id.
 */
export function mainLine(calls: readonly LineSpan[], spans: ReadonlyMap<string, LineSpan>): LineSpan[] {
  const belongs = (call: LineSpan): boolean => {
    let span: LineSpan | undefined = call;
    for (let level = 0; span && level <= LEVELS_ABOVE; level++) {
      if (isBeside(span, level === 0)) return false;
      span = span.parentId === null ? undefined : spans.get(span.parentId);
    }
    return true;
  };
  const inOrder = calls.toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
  const line = inOrder.filter(belongs);
  return line.length > 0 ? line : inOrder;
}
