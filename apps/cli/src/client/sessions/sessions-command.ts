import { listSessionsSchema, type SessionResource } from '@spandrel/contract';
import type { ClientProgram } from '../client-command.js';
import { addListed } from '../list/list-command.js';
import type { Column } from '../output/table.js';
import { costText, countText, timeText } from '../output/units.js';

export function addSessions(client: ClientProgram, description: string): void {
  addListed(client, description, { member: 'sessions', schema: listSessionsSchema, columns: sessionColumns });
}

const sessionColumns = (isTerminal: boolean): readonly Column<SessionResource>[] => [
  { title: 'SESSION', text: ({ session_id: id }) => id, style: () => 'cyan' },
  { title: 'STARTED', text: ({ started_at: at }) => timeText(at, isTerminal), leaveOut: 2 },
  { title: 'TRACES', text: ({ trace_count: traces }) => countText(traces), align: 'right' },
  { title: 'SPANS', text: ({ span_count: spans }) => countText(spans), align: 'right', leaveOut: 4 },
  {
    title: 'FAILED',
    text: ({ error_count: failed }) => countText(failed),
    align: 'right',
    style: ({ error_count: failed }) => (failed > 0 ? 'red' : undefined),
  },
  { title: 'TOKENS', text: ({ total_tokens: tokens }) => countText(tokens), align: 'right', leaveOut: 3 },
  { title: 'COST', text: ({ total_cost: cost }) => costText(cost), align: 'right', leaveOut: 1 },
  { title: 'USERS', text: ({ user_ids: users }) => users.join(', '), shrinks: true, leaveOut: 5 },
];
