import type { TraceListItem } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatId } from '../../components/format/format-id.js';
import type { Fact } from '../../features/facts/fact.js';

/** Sums of the turns of a session that was read to its end. */
export function sessionFacts(turns: readonly TraceListItem[]): Fact[] {
  const sum = (of: (turn: TraceListItem) => number): number => turns.reduce((before, turn) => before + of(turn), 0);
  const costs = turns.flatMap(({ total_cost: cost }) => cost ?? []);
  const cost = costs.length === 0 ? null : costs.reduce((before, one) => before + one, 0);
  const users = [...new Set(turns.flatMap(({ user_id: user }) => user ?? []))];
  return [
    { name: 'Traces', value: formatCount(turns.length) },
    { name: 'Spans', value: formatCount(sum(({ span_count }) => span_count)) },
    { name: 'Errors', value: formatCount(sum(({ error_count }) => error_count)) },
    { name: 'Tokens', value: formatCount(sum(({ total_tokens }) => total_tokens)) },
    { name: 'Cost', value: formatCost(cost), exact: formatCostExactly(cost) },
    ...(users.length === 0
      ? []
      : [{ name: users.length === 1 ? 'User' : 'Users', value: users.map(formatId).join(', ') }]),
  ];
}

/** Facts of one turn, in the line below its name. */
export function turnFacts(turn: TraceListItem): string[] {
  const { span_count: spans, error_count: errors, total_tokens: tokens, total_cost: cost } = turn;
  return [
    `${formatCount(spans)} ${spans === 1 ? 'span' : 'spans'}`,
    ...(errors > 0 ? [`${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`] : []),
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
    ...(cost === null ? [] : [formatCost(cost)]),
  ];
}
