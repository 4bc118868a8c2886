import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { FirstSteps } from '../../features/first-steps/first-steps.js';
import { previewOf } from './trace-columns.js';
import { TracesFilterBar } from './traces-filter-bar.js';
import { TracesList } from './traces-list.js';
import { TracesOverTime } from './traces-over-time.js';
import { filterChips, withRange, type TracesSearch } from './traces-search.js';
import { useTraceList } from './use-trace-list.js';

const FirstCall = lazy(async () => ({ default: (await import('../../features/first-call/first-call.js')).FirstCall }));

const route = getRouteApi('/traces');

/** The list of traces, with its filters. */
export function TracesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (next: TracesSearch, isTyped = false) => void navigate({ search: next, replace: isTyped }),
    [navigate],
  );
  const [isLive, setIsLive] = useState(true);
  const listed = useTraceList(search, previewOf(search.cols), isLive);
  const { list } = listed;
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  if (isEmpty && filterChips(search, String).length === 0) {
    return (
      <>
        <PageHeading title="Traces" />
        <FirstSteps hasTrace={false} />
        <Suspense fallback={null}>
          <FirstCall />
        </Suspense>
      </>
    );
  }
  return (
    <>
      <PageHeading title="Traces">
        <Button icon="live" aria-pressed={isLive} onClick={() => setIsLive(!isLive)}>
          Live
        </Button>
      </PageHeading>
      <FirstSteps hasTrace={list.length > 0 || (list.isWaiting ? null : undefined)} />
      <TracesFilterBar search={search} onChange={change} />
      {list.error !== null && (
        <FaultNotice title="Traces could not be loaded" error={list.error} onRetry={list.retry} />
      )}
      {isEmpty ? (
        <EmptyState title="No traces match these filters">
          <p>Take one of them away, or clear them all.</p>
        </EmptyState>
      ) : (
        <>
          <TracesOverTime listed={listed} search={search} onRange={(range) => change(withRange(search, range))} />
          <TracesList search={search} listed={listed} onChange={change} />
        </>
      )}
    </>
  );
}
