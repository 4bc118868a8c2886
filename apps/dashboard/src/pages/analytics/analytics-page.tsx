import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { useDelayed } from '../../components/use-delayed.js';
import { AnalyticsFigures } from './analytics-figures.js';
import { AnalyticsFilterBar } from './analytics-filter-bar.js';
import { isFiltered, withoutFilters, type AnalyticsSearch } from './analytics-search.js';
import { ModelsGrid } from './models-grid.js';
import { TotalsList } from './totals-list.js';
import { useAnalytics } from './use-analytics.js';
import styles from './analytics-page.module.css';

const route = getRouteApi('/analytics');

/** Sums over spans: in all, over time, and by model. */
export function AnalyticsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (next: AnalyticsSearch, isTyped = false) => void navigate({ search: next, replace: isTyped }),
    [navigate],
  );
  const { data, error, refetch, isFetching } = useAnalytics(search);
  const isLate = useDelayed(data === undefined && error === null);
  const isBefore = useDelayed(isFetching && data !== undefined && data.search !== search);
  return (
    <>
      <PageHeading title="Analytics" />
      <AnalyticsFilterBar search={search} models={data?.knownModels ?? []} onChange={change} />
      {error !== null && (
        <FaultNotice title="Analytics could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {isLate && <div className={styles.waiting} />}
      {data?.totals.spans === 0 && error === null && (
        <Nothing search={data.search} onClear={() => change(withoutFilters(search))} />
      )}
      {data !== undefined && data.totals.spans > 0 && (
        <div className={styles.content} data-before={isBefore || error !== null}>
          <TotalsList totals={data.totals} />
          <AnalyticsFigures data={data} onChange={change} />
          <ModelsGrid data={data} />
        </div>
      )}
    </>
  );
}

function Nothing({ search, onClear }: { search: AnalyticsSearch; onClear(): void }) {
  if (isFiltered(search)) {
    return (
      <EmptyState title="No spans in this range" action={<Button onClick={onClear}>Clear filters</Button>}>
        <p>Nothing that these filters let through was recorded.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nothing to add up yet" action={<Link to="/traces">Send your first call</Link>}>
      <p>What calls cost, how long they took and how many failed is shown here as soon as one is recorded.</p>
    </EmptyState>
  );
}
