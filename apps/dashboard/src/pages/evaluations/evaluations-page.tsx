import type { EvalRunSummary } from '@spandrel/contract';
import { formatShare, shownScore } from '@spandrel/contract/browser';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, type ReactNode } from 'react';
import { QueryFault, EmptyState, NoMatch, PageHeading } from '../../components/page-parts.js';
import { useMayWrite } from '../../components/button.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { durationColumn } from '../../features/columns/usual-columns.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { rememberList } from '../../features/list/list-memory.js';
import { ListedGrid, useSelectedRows } from '../../features/list/list-page.js';
import { describeCount } from '../../features/list/list-rules.js';
import { CompareToolbar, PausedNotice, RUN_COLUMNS, runColumns, useRunList } from '../../features/runs/run-list.js';
import { RunTrend } from '../../features/runs/run-trend.js';
import { runAddress } from '../../features/addresses.js';
import { useDatasetNames } from '../../features/runs/run-queries.js';
import { bareSearch, listChips, listFilters, listOrder, type ListSearch } from '../../features/filters/list-search.js';
import { FilterBar } from '../../features/filters/filter-bar.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { readEvaluationsSearch, runParameters } from './evaluations-search.js';
import styles from './evaluations-page.module.css';

const { sorts: RUN_SORTS } = runParameters();

const nameOfRun = ({ name }: EvalRunSummary): string => name;

/** The list of runs of all datasets. */
export function EvaluationsPage() {
  const search = usePageSearch(readEvaluationsSearch);
  const navigate = useNavigate();
  const change = (next: ListSearch, isTyped = false): void =>
    void navigate({ to: '/evaluations', search: next, replace: isTyped });
  const { list, live, shownKey } = useRunList({ ...listFilters(search, 0), ...listOrder(search) });
  const { query, datasets, nameOf } = useDatasetNames();
  const parameters = runParameters(datasets);
  // oxlint-disable-next-line react/exhaustive-deps -- the names are those of the datasets
  const columnsIn = useCallback((zone: string) => runColumns(zone, nameOf), [query.data]);
  const isGroup = search.group_id !== undefined;
  const groupColumnsIn = useCallback((zone: string) => [...columnsIn(zone), ...GROUP_COLUMNS], [columnsIn]);
  const columns = useListColumns<EvalRunSummary, ListSearch>({
    ...{ search, onChange: change, sorts: RUN_SORTS },
    ...(isGroup
      ? { list: 'group', columnsIn: groupColumnsIn, offered: OF_GROUP }
      : { list: 'runs', columnsIn, offered: RUN_COLUMNS }),
  });
  const selected = useSelectedRows<EvalRunSummary>(nameOfRun);
  useEffect(() => rememberList('/evaluations', { ...search }));
  const isFiltered = listChips(search, parameters, String).length > 0;
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
      <FilterBar {...{ search, parameters }} onChange={change} />
      <QueryFault title="The runs could not be loaded" query={list} />
      {search.dataset_id !== undefined && <RunTrend runs={list.readRows} />}
      {isEmpty ? (
        <NoMatch what="runs" onClear={() => change(bareSearch(search))} />
      ) : (
        <ListedGrid<EvalRunSummary>
          label="Runs"
          one="run"
          count={describeCount(list, null, 'run')}
          {...{ list, live, columns, shownKey }}
          selection={selected.selection}
          toolbar={<CompareToolbar runs={selected.rows} onClear={selected.onClear} />}
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
          A run sends every datapoint of a dataset to a model and scores the answers, so that you can compare models and
          prompts.
        </p>
      </EmptyState>
    </>
  );
}

const GROUP_COLUMNS: readonly GridColumn<EvalRunSummary>[] = [
  cellColumn('pass_rate', 'Pass rate', { width: 92, align: 'end' }, (run) =>
    formatShare(shownScore(run).pass_rate?.mean),
  ),
  durationColumn('latency', 'Latency p50', 92, ({ latency_ms: latency }) => latency?.p50),
];

const OF_GROUP: OfferedColumns = {
  all: [...RUN_COLUMNS.all, 'pass_rate', 'latency'],
  usual: ['name', 'model', 'status', 'progress', 'score', 'pass_rate', 'gates', 'cost', 'latency'],
};
