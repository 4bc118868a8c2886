import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { withRange, type ListSearch } from '../../features/filters/list-search.js';
import { FirstSteps } from '../../features/first-steps/first-steps.js';
import { ListPage } from '../../features/list-page/list-page.js';
import { previewOf } from './trace-columns.js';
import { TracesList } from './traces-list.js';
import { TracesOverTime } from './traces-over-time.js';
import { TRACE_PARAMETERS } from './traces-search.js';
import { useTraceList } from './use-trace-list.js';

const route = getRouteApi('/traces');

// Who has traces never needs it.
const FirstCall = lazy(async () => ({ default: (await import('../../features/first-call/first-call.js')).FirstCall }));

/** The list of traces, with its filters. */
export function TracesPage() {
  const search: ListSearch = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (next: ListSearch, isTyped = false) => void navigate({ search: next, replace: isTyped }),
    [navigate],
  );
  const [isLive, setIsLive] = useState(true);
  const listed = useTraceList(search, previewOf(search.cols), isLive);
  const { list } = listed;
  return (
    <ListPage
      title="Traces"
      {...{ list, search, isLive }}
      parameters={TRACE_PARAMETERS}
      onChange={change}
      onLive={setIsLive}
      intro={(isEmpty) => (
        <FirstSteps hasTrace={isEmpty ? false : list.length > 0 || (list.isWaiting ? null : undefined)} />
      )}
      empty={
        <Suspense fallback={null}>
          <FirstCall />
        </Suspense>
      }
    >
      <TracesOverTime listed={listed} search={search} onRange={(range) => change(withRange(search, range))} />
      <TracesList search={search} listed={listed} onChange={change} />
    </ListPage>
  );
}
