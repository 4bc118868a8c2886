import type { OutlinedSpan } from './span-outline.js';

/** What of a span says whether it belongs to the main line of its trace. */
export type LineSpan = Pick<OutlinedSpan, 'id' | 'parentId' | 'name' | 'kind' | 'kindType' | 'startedAt'>;

/** Names and kinds of what looks at questions and answers, or names them, and is no part of what the user reads. */
const BESIDE = /judge|guard|moderat|evaluat|grader|grading|scorer|safety|critique|check|verif|title/i;

/** Parents of a call that are looked at: a guardrail of the OpenAI Agents SDK has an agent between itself and its call. */
export const LEVELS_ABOVE = 2;

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
