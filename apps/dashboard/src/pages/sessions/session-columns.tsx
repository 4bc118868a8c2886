import type { SessionResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { formatId } from '../../components/format/format-id.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { costColumn, countColumn, textColumn } from '../../features/columns/usual-columns.js';
import { SessionLink } from '../../features/session-link.js';

/** Every column of the list of sessions. @param zone zone of the times, shown in the header. */
export function sessionColumns(zone: string): GridColumn<SessionResource>[] {
  return [
    {
      id: 'session_id',
      header: 'Session',
      width: 200,
      grows: true,
      cell: ({ session_id: id }) => <SessionLink id={id} />,
    },
    countColumn('trace_count', 'Traces', 64, ({ trace_count }) => trace_count),
    countColumn('span_count', 'Spans', 64, ({ span_count }) => span_count),
    countColumn('error_count', 'Errors', 60, ({ error_count }) => error_count),
    countColumn('total_tokens', 'Tokens', 80, ({ total_tokens }) => total_tokens),
    costColumn('total_cost', 'Cost', 80, ({ total_cost }) => total_cost),
    { id: 'started_at', header: 'Started', note: zone, width: 136, cell: ({ started_at }) => <Time at={started_at} /> },
    {
      id: 'ended_at',
      header: 'Ended',
      width: 112,
      cell: ({ ended_at: at }) => (at === null ? NONE : <Time at={at} />),
    },
    textColumn('user_ids', 'Users', 140, ({ user_ids: ids }) =>
      ids.length === 0 ? null : ids.map(formatId).join(', '),
    ),
  ];
}

const IDS = sessionColumns('').map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
export const SESSION_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('user_ids')) };
