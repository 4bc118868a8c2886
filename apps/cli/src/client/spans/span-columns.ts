import { statusStyle } from '../output/status-style.js';
import type { Column } from '../output/table.js';
import { costText, countText, durationText, timeText } from '../output/units.js';
import { amountsOf, kindText, statusOf, type ShownSpan } from './span-facts.js';

/** How a list shows spans. @param isTerminal whether times are those of this machine. */
export const spanColumns = (isTerminal: boolean): readonly Column<ShownSpan>[] => [
  { title: 'ID', text: ({ id }) => id, style: () => 'cyan' },
  { title: 'TRACE', text: ({ trace_id: trace }) => trace, leaveOut: 5 },
  { title: 'STARTED', text: ({ started_at: at }) => timeText(at, isTerminal), leaveOut: 4 },
  { title: 'STATUS', text: statusOf, style: (span) => statusStyle(statusOf(span)) },
  { title: 'KIND', text: kindText, shrinks: true },
  { title: 'DURATION', text: (span) => durationText(amountsOf(span).durationMs), align: 'right', leaveOut: 1 },
  { title: 'TOKENS', text: (span) => countText(amountsOf(span).tokens), align: 'right', leaveOut: 3 },
  { title: 'COST', text: (span) => costText(amountsOf(span).cost), align: 'right', leaveOut: 2 },
  { title: 'NAME', text: ({ name }) => name, shrinks: true },
  { title: 'ERROR', text: ({ error }) => error ?? '', style: () => 'red', shrinks: true, leaveOut: 6 },
];
