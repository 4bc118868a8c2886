import type { TraceSpan } from './trace-span.js';

/** What the kinds are called that are known by name. */
export const KIND_WORDS: ReadonlyMap<string, string> = new Map([
  ['llm_call', 'LLM call'],
  ['tool_call', 'Tool'],
  ['custom', 'Step'],
  ['agent', 'Agent'],
  ['retrieval', 'Retrieval'],
  ['embedding', 'Embedding'],
  ['fs_read', 'File read'],
  ['fs_write', 'File write'],
]);

/** The type of a span's kind; of a custom one that says more, such as `agent`, what it says where that is known by name. */
export function kindTypeOf({ kind }: Pick<TraceSpan, 'kind'>): string {
  const { type, kind: inner } = kind;
  return type === 'custom' && typeof inner === 'string' && KIND_WORDS.has(inner) ? inner : type;
}

/** A span's kind in words: `LLM call`, `Tool`, `Step`; one that is not known as its sender named it. */
export function kindWord(span: Pick<TraceSpan, 'kind'>): string {
  const type = kindTypeOf(span);
  return KIND_WORDS.get(type) ?? type;
}
