import type { UserResource } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { keys } from '../../api/keys.js';
import { formatCost, formatCostExactly, formatId, formatTime } from '../../components/format.js';
import { NotFound } from '../../components/not-found.js';
import { PageHeading, QueryFault } from '../../components/page-parts.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { AnalyticsFigure } from '../../features/analytics/analytics-figure.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { useWayUp } from '../../features/list/way-up.js';
import type { Zone } from '../../components/format.js';
import styles from '../../features/analytics/analytics-figure.module.css';

const route = getRouteApi('/users/$id');

/** `/users/:id`: what the traces of a user come to, over time as well. */
export function UserPage() {
  const { id } = route.useParams();
  const { times } = usePreferences();
  const user = useQuery({
    queryKey: keys.user(id),
    queryFn: ({ signal }) => api.getUser({ path: { user_id: id }, signal }),
  });
  const wayUp = useWayUp('/users', 'User');
  if (isNotFound(user.error)) {
    return (
      <NotFound what="User" back={<Link to="/users">Go to Users</Link>}>
        Ids are compared exactly, with capital letters and blanks at the ends. Its traces may have been deleted.
      </NotFound>
    );
  }
  return (
    <>
      {wayUp}
      <PageHeading title={`User ${formatId(id)}`} />
      <QueryFault title="The user could not be loaded" query={user} />
      {user.data && (
        <>
          <FactList label="User facts" facts={userFacts(user.data, times)} />
          <div className={styles.figures}>
            {(['Cost', 'Calls', 'Tokens', 'Errors'] as const).map((name) => (
              <AnalyticsFigure key={name} figure={name} query={{ user_id: id, of: 'spans' }} />
            ))}
          </div>
        </>
      )}
    </>
  );
}

function userFacts(user: UserResource, zone: Zone): Fact[] {
  const filter = `user_id=${encodeURIComponent(user.user_id)}`;
  return [
    { name: 'Traces', value: formatCount(user.trace_count), to: `/traces?${filter}` },
    { name: 'Sessions', value: formatCount(user.session_count), to: `/sessions?${filter}` },
    { name: 'Calls', value: formatCount(user.call_count), to: `/spans?${filter}&kind=llm_call` },
    { name: 'Errors', value: formatCount(user.error_count), to: `/spans?${filter}&status=failed` },
    { name: 'Tokens', value: formatCount(user.total_tokens) },
    { name: 'Cost', value: formatCost(user.total_cost), exact: formatCostExactly(user.total_cost) },
    { name: 'First seen', value: formatTime(Date.parse(user.first_seen_at), zone).slice(0, 16) },
    { name: 'Last seen', value: formatTime(Date.parse(user.last_seen_at), zone).slice(0, 16) },
  ];
}
