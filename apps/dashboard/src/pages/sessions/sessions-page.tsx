import type { SessionResource } from '@spandrel/contract';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { listSessions } from '../../api/sessions.js';
import { EmptyState } from '../../components/empty-state.js';
import { zoneName } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { listFilters, type ListSearch } from '../../features/filters/list-search.js';
import { rememberList } from '../../features/list-memory.js';
import { ListPage } from '../../features/list-page/list-page.js';
import { ListedGrid } from '../../features/list-page/listed-grid.js';
import { useLiveList } from '../../features/live-list/use-live-list.js';
import { describeCount } from '../../features/paged-list/describe-count.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import { sessionAddress } from '../../features/session-link.js';
import { SESSION_COLUMNS, sessionColumns } from './session-columns.js';
import { sessionNews } from './session-news.js';
import { SESSION_PARAMETERS } from './sessions-search.js';

const route = getRouteApi('/sessions');
/** Sessions are sums over all their traces, which are asked for less often than rows that stand by themselves. */
const BETWEEN_MS = 3_000;

/** The list of sessions, with its filters. */
export function SessionsPage() {
  const search: ListSearch = route.useSearch();
  const navigate = useNavigate();
  const change = useCallback(
    (next: ListSearch, isTyped = false) => void navigate({ to: '/sessions', search: next, replace: isTyped }),
    [navigate],
  );
  const [isLive, setIsLive] = useState(true);
  const { list, live, shownKey } = useSessionList(search, isLive);
  const { times } = usePreferences();
  const all = useMemo(() => sessionColumns(zoneName(Date.now(), times)), [times]);
  const columns = useListColumns<SessionResource, ListSearch>({
    ...{ list: 'sessions', columns: all, offered: SESSION_COLUMNS, search, onChange: change },
    sorts: SESSION_PARAMETERS.sorts,
  });
  useEffect(() => rememberList('/sessions', { ...search }));
  return (
    <ListPage
      title="Sessions"
      {...{ list, search, isLive }}
      parameters={SESSION_PARAMETERS}
      onChange={change}
      onLive={setIsLive}
      empty={<NoSessions />}
    >
      <ListedGrid<SessionResource>
        label="Sessions"
        one="session"
        count={describeCount(list, null, 'session')}
        {...{ list, live, columns, shownKey }}
        onOpen={({ session_id: id }) => void navigate({ to: sessionAddress(id) })}
        isDeleted={() => false}
      />
    </ListPage>
  );
}

function useSessionList({ cols: _cols, ...search }: ListSearch, isLive: boolean) {
  const found = useFilteredList<SessionResource>({
    name: 'sessions',
    filters: search,
    queryAt: (now) => listFilters(search, now),
    fetch: listSessions,
    idOf: ({ session_id: id }) => id,
  });
  const live = useLiveList(
    found,
    {
      read: sessionNews,
      // No event names a session, so that rows beyond the first page are never asked for by their ids.
      byIds: () => Promise.resolve([]),
      recount: () => undefined,
      betweenMs: BETWEEN_MS,
    },
    isLive,
  );
  return { ...found, live };
}

function NoSessions() {
  return (
    <EmptyState title="No sessions yet">
      <p>Traces that belong together, such as the turns of a conversation, are read here one after the other.</p>
      <p>
        Give them the same <code>session_id</code>; calls through the gateway have the header{' '}
        <code>X-Spandrel-Session-Id</code>.
      </p>
    </EmptyState>
  );
}
