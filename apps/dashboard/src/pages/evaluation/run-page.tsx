import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { useWayUp } from '../../features/list-memory.js';
import { ResultRegion } from './result-region.js';
import { Results } from './results.js';
import { RunActions } from './run-actions.js';
import { RunGates } from './run-gates.js';
import { RunHead } from './run-head.js';
import type { RunSearch } from './run-search.js';
import { RunStatistics } from './run-statistics.js';
import { useRun } from './use-run.js';

const route = getRouteApi('/evaluations/$id');

/** `/evaluations/:id`: a run with its results, as they come in. */
export function RunPage() {
  const { id } = route.useParams();
  const search: RunSearch = route.useSearch();
  const navigate = route.useNavigate();
  const { query, list, shownKey, opened } = useRun(id, search);
  const change = useCallback(
    (next: RunSearch, isTyped = false) => void navigate({ search: next, replace: isTyped }),
    [navigate],
  );
  useWayUp(() => '/evaluations', 'Run');
  if (isNotFound(query.error)) return <RunNotFound />;
  const close = (): void => {
    const { item: _item, ...rest } = search;
    change(rest);
  };
  const compareWith = (baseline: string): void => {
    const { baseline: _before, ...rest } = search;
    change(baseline === '' ? rest : { ...rest, baseline });
  };
  return (
    <>
      <PageHeading title={query.data?.name ?? 'Run'}>{query.data && <RunActions run={query.data} />}</PageHeading>
      {query.error && (
        <FaultNotice title="The run could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data && <RunHead run={query.data} />}
      {query.data && <RunGates run={query.data} />}
      {query.data && <RunStatistics run={query.data} baseline={search.baseline} onBaseline={compareWith} />}
      {list.error !== null && (
        <FaultNotice title="The results could not be loaded" error={list.error} onRetry={list.retry} />
      )}
      <Results {...{ list, shownKey, search }} run={query.data} onChange={change} />
      {opened !== null && <ResultRegion item={opened} runId={id} run={query.data} onClose={close} />}
    </>
  );
}

function RunNotFound() {
  return (
    <>
      <PageHeading title="Run not found" />
      <EmptyState title="There is no run with this id" action={<Link to="/evaluations">Go to Evaluations</Link>}>
        <p>It may have been deleted, or belong to another project.</p>
      </EmptyState>
    </>
  );
}
