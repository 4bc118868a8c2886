import type { SpanRow } from './span.entity.js';
import { STATUS } from './status.js';

/** Whether a span has ended with tokens and without a cost (docs/spec/spans.md#unpriced-spans). */
export const isUnpriced = ({ status, totalTokens, cost }: Pick<SpanRow, 'status' | 'totalTokens' | 'cost'>): boolean =>
  status !== STATUS.running && isUnpricedUse(totalTokens, cost);

/** Whether something used tokens and nothing says what they cost. */
export const isUnpricedUse = (tokens: number | null, cost: number | null): boolean =>
  cost === null && tokens !== null && tokens > 0;
