import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { useWayUp } from '../../features/list-memory.js';
import { runIdsOf, type CompareSearch } from './compare-search.js';
import { Comparison } from './comparison.js';
import { useComparedRuns } from './use-comparison.js';

const route = getRouteApi('/evaluations/compare');
const TO_LIST = <Link to="/evaluations">Go to Evaluations</Link>;

/** `/evaluations/compare`: runs of one dataset side by side, what became worse first. */
export function ComparePage() {
  const search: CompareSearch = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback((next: CompareSearch) => void navigate({ search: next }), [navigate]);
  const { runs, isPending, error, retry } = useComparedRuns(search);
  useWayUp(() => '/evaluations', 'Comparison');
  if (isNotFound(error)) {
    return (
      <>
        <PageHeading title="Run not found" />
        <EmptyState title="One of these runs is not there" action={TO_LIST}>
          <p>It may have been deleted, or belong to another project.</p>
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeading title="Compare runs" />
      {runIdsOf(search).length === 0 && (
        <EmptyState title="No runs are chosen" action={TO_LIST}>
          <p>Select two to four runs of a dataset there, and press Compare.</p>
        </EmptyState>
      )}
      {error && <FaultNotice title="The runs could not be loaded" error={error} onRetry={retry} />}
      {!isPending && error === null && runs.length > 0 && <Comparison runs={runs} search={search} onChange={change} />}
    </>
  );
}
