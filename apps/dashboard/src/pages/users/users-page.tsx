import type { UserResource } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { formatId } from '../../components/format.js';
import { EmptyState } from '../../components/page-parts.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { costColumn, countColumn } from '../../features/columns/usual-columns.js';
import {
  listFilters,
  readListSearch,
  type ListParameters,
  type ListSearch,
} from '../../features/filters/list-search.js';
import { NameLink } from '../../features/trace-link.js';
import { ListPage, ListedGrid, useAutoRefresh } from '../../features/list/list-page.js';
import { describeCount } from '../../features/list/list-rules.js';
import { useLiveList } from '../../features/list/use-live-list.js';
import { useFilteredList } from '../../features/list/use-paged-list.js';
import { usePageSearch } from '../../features/use-page-search.js';

const USER_PARAMETERS: ListParameters = {
  bar: [{ id: 'id_contains', label: 'Name', field: 'Filter by name', type: 'typed' }],
  fields: [],
  sorts: {
    keys: {
      call_count: 'calls',
      error_count: 'errors',
      total_tokens: 'tokens',
      total_cost: 'cost',
      last_seen_at: 'last_seen',
    },
    usual: { sort_by: 'last_seen', sort_order: 'desc' },
  },
};

const readUsersSearch = (search: Record<string, unknown>): ListSearch => readListSearch(search, USER_PARAMETERS);

const userAddress = (id: string): string => `/users/${encodeURIComponent(id)}`;
/** Users are sums over all their traces, which are asked for less often than rows that stand by themselves. */
const BETWEEN_MS = 10_000;

/** The list of users: what the traces of each come to. */
export function UsersPage() {
  const search = usePageSearch(readUsersSearch);
  const navigate = useNavigate();
  const change = (next: ListSearch, isTyped = false): void =>
    void navigate({ to: '/users', search: next, replace: isTyped });
  const { isLive, onLive } = useAutoRefresh(search);
  const { cols: _cols, ...filters } = search;
  const found = useFilteredList<UserResource>({
    ...{ name: 'users', filters, operation: 'listUsers', idOf: ({ user_id: id }) => id },
    queryAt: (now) => ({
      ...listFilters(filters, now),
      ...(search.sort_by !== undefined && { sort_by: search.sort_by, sort_order: search.sort_order }),
    }),
  });
  const { list, shownKey } = found;
  const changes = (event: { type: string }) => (event.type === 'cleared' ? { isCleared: true } : { hasNew: true });
  const live = useLiveList(found, { changes, betweenMs: BETWEEN_MS }, isLive);
  const columns = useListColumns<UserResource, ListSearch>({
    ...{ list: 'users', columnsIn: userColumns, offered: { all: IDS, usual: IDS }, search, onChange: change },
    sorts: USER_PARAMETERS.sorts,
  });
  return (
    <ListPage
      title="Users"
      {...{ list, search, isLive, onLive }}
      parameters={USER_PARAMETERS}
      onChange={change}
      empty={<NoUsers />}
    >
      <ListedGrid<UserResource>
        label="Users"
        one="user"
        count={describeCount(list, null, 'user')}
        {...{ list, live, columns, shownKey }}
        onOpen={({ user_id: id }) => void navigate({ to: userAddress(id) })}
        isDeleted={() => false}
      />
    </ListPage>
  );
}

function NoUsers() {
  return (
    <EmptyState title="No users yet">
      <p>Users show who calls your models, how much that costs, and what fails for them.</p>
      <p>
        Give traces a <code>user_id</code>; for calls through the gateway, set the header{' '}
        <code>X-Spandrel-User-Id</code>.
      </p>
    </EmptyState>
  );
}

function userColumns(zone: string): GridColumn<UserResource>[] {
  return [
    cellColumn('user_id', 'User', { width: 200, grows: 560 }, ({ user_id: id }) => (
      <NameLink to={userAddress(id)}>{formatId(id)}</NameLink>
    )),
    countColumn('call_count', 'Calls', 80, ({ call_count }) => call_count),
    countColumn('error_count', 'Errors', 70, ({ error_count }) => error_count),
    countColumn('total_tokens', 'Tokens', 100, ({ total_tokens }) => total_tokens),
    costColumn('total_cost', 'Cost', 90, ({ total_cost }) => total_cost),
    countColumn('session_count', 'Sessions', 80, ({ session_count }) => session_count),
    { id: 'last_seen_at', header: 'Last seen', note: zone, width: 150, cell: (row) => <Time at={row.last_seen_at} /> },
  ];
}

const IDS = userColumns('').map(({ id }) => id);
