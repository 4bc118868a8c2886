import type { SpanOutline, SpanResource } from '@spandrel/contract';

/** A span in either view. */
export type ShownSpan = SpanOutline | SpanResource;

/** @returns `failed` too, where the wire has an object. */
export const statusOf = ({ status }: ShownSpan): string => (typeof status === 'string' ? status : 'failed');

/** @returns what the service adds to a finished span; `null` where it is not known. */
export function amountsOf({ metadata }: ShownSpan): {
  durationMs: number | null;
  tokens: number | null;
  cost: number | null;
} {
  const amount = (name: string): number | null => {
    const value = metadata[name];
    // A number of many digits comes as they were written.
    const number = JSON.isRawJSON(value) ? Number(value.rawJSON) : value;
    return typeof number === 'number' ? number : null;
  };
  return { durationMs: amount('duration_ms'), tokens: amount('total_tokens'), cost: amount('cost') };
}

/** @returns the kind, and the model where it has one: `llm_call gpt-4o`. */
export function kindText({ kind }: ShownSpan): string {
  const { type, model } = kind;
  return typeof model === 'string' ? `${type} ${model}` : type;
}
