import type { TraceListItem } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatDuration, formatDurationExactly } from '../../components/format/format-duration.js';
import { formatTime, formatTimeExactly, type Zone } from '../../components/format/format-time.js';
import { formatId } from '../../components/format/format-id.js';
import type { Fact } from '../../features/facts/fact.js';
import { sessionAddress } from '../../features/session-link.js';

const STATUS_WORDS = { running: 'Running', completed: 'Completed', failed: 'Failed' } as const;

/** Facts of a trace, without session, user and tags where it has none. @param zone zone of the times. */
export function traceFacts(trace: TraceListItem, zone: Zone): Fact[] {
  const startedAt = Date.parse(trace.started_at);
  const { unpriced_count: unpriced, total_cost: cost, duration_ms: duration } = trace;
  const facts: (Fact | null)[] = [
    { name: 'Status', value: STATUS_WORDS[trace.status] },
    { name: 'Started', value: formatTime(startedAt, zone), exact: formatTimeExactly(startedAt, zone) },
    { name: 'Duration', value: formatDuration(duration), exact: formatDurationExactly(duration) },
    {
      name: 'Cost',
      value: unpriced > 0 ? `${formatCost(cost)}, ${formatCount(unpriced)} unpriced` : formatCost(cost),
      exact: formatCostExactly(cost),
    },
    { name: 'Tokens', value: formatCount(trace.total_tokens) },
    { name: 'Spans', value: formatCount(trace.span_count) },
    { name: 'Errors', value: formatCount(trace.error_count) },
    idFact('Session', trace.session_id, sessionAddress),
    idFact('User', trace.user_id),
    trace.tags.length === 0 ? null : { name: 'Tags', value: trace.tags.join(', ') },
  ];
  return facts.filter((fact) => fact !== null);
}

/** Blanks at the ends of an id are told by quotes. @param address where there is more about it. */
function idFact(name: string, id: string | null, address?: (id: string) => string): Fact | null {
  return id === null ? null : { name, value: formatId(id), ...(address && { to: address(id) }) };
}
