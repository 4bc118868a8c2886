import type { EvalRunSummary } from '@spandrel/contract';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { zoneName } from '../../components/format/format-time.js';
import { useMayWrite } from '../../components/may-write.js';
import { PageHeading } from '../../components/page-heading.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { rememberList } from '../../features/list-memory.js';
import { ListedGrid } from '../../features/list-page/listed-grid.js';
import { useSelectedRows } from '../../features/list-page/use-selected-rows.js';
import { describeCount } from '../../features/paged-list/describe-count.js';
import { CompareToolbar } from '../../features/runs/compare-toolbar.js';
import { PausedNotice } from '../../features/runs/paused-notice.js';
import { RUN_COLUMNS, runColumns } from '../../features/runs/run-columns.js';
import { runAddress } from '../../features/runs/run-link.js';
import { useRunList } from '../../features/runs/use-run-list.js';
import { useDatasetNames } from '../../features/runs/use-dataset-names.js';
import { readEvaluationsSearch, type EvaluationsSearch } from './evaluations-search.js';
import { RunFilters } from './run-filters.js';
import styles from './evaluations-page.module.css';

const route = getRouteApi('/evaluations');
const SORTS = { keys: {}, usual: { sort_by: 'created_at', sort_order: 'desc' } } as const;
const nameOfRun = ({ name }: EvalRunSummary): string => name;

/** The list of runs of all datasets. */
export function EvaluationsPage() {
  // An address with parameters of other pages lists as if it had none.
  const search = readEvaluationsSearch(route.useSearch());
  const navigate = useNavigate();
  const change = useCallback(
    (next: EvaluationsSearch, isTyped = false) => void navigate({ to: '/evaluations', search: next, replace: isTyped }),
    [navigate],
  );
  const { cols: _cols, ...filters } = search;
  const { list, live, shownKey } = useRunList(filters);
  const { query, nameOf } = useDatasetNames();
  const { times } = usePreferences();
  // oxlint-disable-next-line react/exhaustive-deps -- the names are those of the datasets
  const all = useMemo(() => runColumns(zoneName(Date.now(), times), nameOf), [times, query.data]);
  const columns = useListColumns<EvalRunSummary, EvaluationsSearch>({
    ...{ list: 'runs', columns: all, offered: RUN_COLUMNS, search, onChange: change, sorts: SORTS },
  });
  const selected = useSelectedRows<EvalRunSummary>(nameOfRun);
  useEffect(() => rememberList('/evaluations', { ...search }));
  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  const create = useMayWrite() && (
    <Link to="/evaluations/new" className={styles.primary}>
      New evaluation
    </Link>
  );
  if (isEmpty && !isFiltered) return <NoRuns create={create} />;
  return (
    <>
      <PageHeading title="Evaluations">{create}</PageHeading>
      <PausedNotice />
      <RunFilters search={search} onChange={change} />
      {list.error !== null && (
        <FaultNotice title="The runs could not be loaded" error={list.error} onRetry={list.retry} />
      )}
      {isEmpty ? (
        <EmptyState
          title="No runs match these filters"
          action={<Button onClick={() => change({})}>Clear filters</Button>}
        />
      ) : (
        <ListedGrid<EvalRunSummary>
          label="Runs"
          one="run"
          count={describeCount(list, null, 'run')}
          {...{ list, live, columns, shownKey }}
          selection={selected.selection}
          toolbar={<CompareToolbar runs={selected.rows} onClear={selected.clear} />}
          onOpen={({ id }) => void navigate({ to: runAddress(id) })}
          isDeleted={({ id, dataset_id: dataset }) => live.deleted.has(id) || live.deleted.has(dataset)}
        />
      )}
    </>
  );
}

function NoRuns({ create }: { create: ReactNode }) {
  return (
    <>
      <PageHeading title="Evaluations" />
      <PausedNotice />
      <EmptyState title="No evaluations yet" action={create}>
        <p>
          A run has a model answer every datapoint of a dataset and scores the answers, so that two models or prompts
          can be compared.
        </p>
      </EmptyState>
    </>
  );
}
