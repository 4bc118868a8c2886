import type { TraceListItem } from '@spandrel/contract';
import { statusStyle } from '../output/status-style.js';
import type { Column } from '../output/table.js';
import { costText, countText, durationText, timeText } from '../output/units.js';

/** How a list shows traces. @param isTerminal whether times are those of this machine. */
export const traceColumns = (isTerminal: boolean): readonly Column<TraceListItem>[] => [
  { title: 'ID', text: ({ id }) => id, style: () => 'cyan' },
  { title: 'STARTED', text: ({ started_at: at }) => timeText(at, isTerminal), leaveOut: 3 },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'DURATION', text: ({ duration_ms: ms }) => durationText(ms), align: 'right', leaveOut: 1 },
  { title: 'SPANS', text: ({ span_count: spans }) => countText(spans), align: 'right', leaveOut: 5 },
  { title: 'TOKENS', text: ({ total_tokens: tokens }) => countText(tokens), align: 'right', leaveOut: 4 },
  { title: 'COST', text: ({ total_cost: cost }) => costText(cost), align: 'right', leaveOut: 2 },
  { title: 'NAME', text: ({ name }) => name ?? '', shrinks: true },
  { title: 'MODELS', text: ({ models }) => models.join(', '), shrinks: true, leaveOut: 6 },
];
