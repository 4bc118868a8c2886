import type { SessionResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { EmptyState } from '../../components/page-parts.js';
import { formatId } from '../../components/format.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { listFilters, type ListSearch } from '../../features/filters/list-search.js';
import { rememberList } from '../../features/list/list-memory.js';
import { useAutoRefresh, ListPage, ListedGrid, useSelectedRows } from '../../features/list/list-page.js';
import { SelectionToolbar } from '../../features/list/selection-toolbar.js';
import { SendToReview } from '../../features/send-to-review.js';
import { useLiveList } from '../../features/list/use-live-list.js';
import { describeCount } from '../../features/list/list-rules.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { sessionAddress } from '../../features/addresses.js';
import { SessionLink } from '../../features/links.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { includedIn, type OfferedColumns } from '../../features/columns/column-choice.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { costColumn, countColumn, scoresColumn, textColumn } from '../../features/columns/usual-columns.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { readSessionsSearch, sessionChanges, SESSION_PARAMETERS } from './sessions-search.js';

/** Sessions are sums over all their traces, which are asked for less often than rows that stand by themselves. */
const BETWEEN_MS = 3_000;

/** The list of sessions, with its filters. */
export function SessionsPage() {
  const search = usePageSearch(readSessionsSearch);
  const navigate = useNavigate();
  const change = (next: ListSearch, isTyped = false): void =>
    void navigate({ to: '/sessions', search: next, replace: isTyped });
  const { isLive, onLive } = useAutoRefresh(search);
  const { cols, peek: _peek, ...filters } = search;
  const include = includedIn(cols, ['scores']);
  const found = useFilteredList<SessionResource>({
    ...{ name: 'sessions', operation: 'listSessions', idOf: ({ session_id: id }) => id },
    filters: { ...filters, ...include },
    queryAt: (now) => ({ ...listFilters(filters, now), ...include }),
  });
  const { list, shownKey } = found;
  const live = useLiveList(found, { changes: sessionChanges, betweenMs: BETWEEN_MS }, isLive);
  const columns = useListColumns<SessionResource, ListSearch>({
    ...{ list: 'sessions', columnsIn: sessionColumns, offered: SESSION_COLUMNS, search, onChange: change },
    sorts: SESSION_PARAMETERS.sorts,
  });
  const selected = useSelectedRows<SessionResource>(nameOfSession, found);
  useEffect(() => rememberList('/sessions', { ...search }));
  return (
    <ListPage
      title="Sessions"
      {...{ list, search, isLive, onLive }}
      parameters={SESSION_PARAMETERS}
      onChange={change}
      empty={<NoSessions />}
    >
      <ListedGrid<SessionResource>
        label="Sessions"
        one="session"
        count={describeCount(list, null, 'session')}
        {...{ list, live, columns, shownKey }}
        onOpen={({ session_id: id }) => void navigate({ to: sessionAddress(id) })}
        isDeleted={() => false}
        selection={selected.selection}
        page={selected.page}
        toolbar={
          <SelectionToolbar {...selected}>
            <SendToReview one="session" chosen={selected.chosen} onSent={selected.onClear} />
          </SelectionToolbar>
        }
      />
    </ListPage>
  );
}

const nameOfSession = ({ session_id: id }: SessionResource): string => formatId(id);

function NoSessions() {
  return (
    <EmptyState title="No sessions yet">
      <p>Sessions group traces that belong together, such as the turns of a conversation.</p>
      <p>
        Give them the same <code>session_id</code>; for calls through the gateway, set the header{' '}
        <code>X-Spandrel-Session-Id</code>.
      </p>
    </EmptyState>
  );
}

function sessionColumns(zone: string): GridColumn<SessionResource>[] {
  return [
    cellColumn('session_id', 'Session', { width: 200, grows: 560 }, (row) => <SessionLink id={row.session_id} />),
    countColumn('trace_count', 'Traces', 64, ({ trace_count }) => trace_count),
    countColumn('span_count', 'Spans', 64, ({ span_count }) => span_count),
    countColumn('error_count', 'Errors', 60, ({ error_count }) => error_count),
    countColumn('total_tokens', 'Tokens', 80, ({ total_tokens }) => total_tokens),
    costColumn('total_cost', 'Cost', 80, ({ total_cost }) => total_cost),
    { id: 'started_at', header: 'Started', note: zone, width: 136, cell: ({ started_at }) => <Time at={started_at} /> },
    { id: 'ended_at', header: 'Ended', width: 136, cell: ({ ended_at }) => (ended_at ? <Time at={ended_at} /> : NONE) },
    textColumn('user_ids', 'Users', 140, ({ user_ids: ids }) =>
      ids.length === 0 ? null : ids.map(formatId).join(', '),
    ),
    scoresColumn,
  ];
}

const IDS = sessionColumns('').map(({ id }) => id);

const SESSION_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('user_ids')) };
