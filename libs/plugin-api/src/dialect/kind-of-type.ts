import type { ReadKind } from './dialect.js';

/**
 * What a span is by the type that an SDK for observations gives it, in any case: `LLM`, `generation`, `tool` …
 * @param toolName of a tool, where the SDK reports one beside the name of the span.
 * @returns custom of that type for those that say nothing more.
 */
export function kindOfType(reported: string, toolName: string): ReadKind {
  const type = reported.toLowerCase();
  const known = TYPES.get(type);
  if (known === 'tool_call') return { type: known, name: toolName };
  return known === undefined ? { type: 'custom', kind: type } : { type: known };
}

const TYPES: ReadonlyMap<string, 'llm_call' | 'embedding' | 'tool_call' | 'retrieval'> = new Map([
  ['llm', 'llm_call'],
  ['generation', 'llm_call'],
  ['chat_model', 'llm_call'],
  ['embedding', 'embedding'],
  ['tool', 'tool_call'],
  ['retriever', 'retrieval'],
  ['reranker', 'retrieval'],
]);
