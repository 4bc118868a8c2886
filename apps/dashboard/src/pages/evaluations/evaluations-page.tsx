import type { EvalRunSummary } from '@spandrel/contract';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import { listRuns, readRun } from '../../api/evals.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField } from '../../components/field.js';
import { zoneName } from '../../components/format/format-time.js';
import { PageHeading } from '../../components/page-heading.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { rememberList } from '../../features/list-memory.js';
import { ListedGrid } from '../../features/list-page/listed-grid.js';
import { SelectionToolbar } from '../../features/list-page/selection-toolbar.js';
import { useSelectedRows } from '../../features/list-page/use-selected-rows.js';
import { useLiveList } from '../../features/live-list/use-live-list.js';
import { describeCount } from '../../features/paged-list/describe-count.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import { COMPARED_MAX } from '../../features/runs/compared-max.js';
import { runAddress } from '../../features/runs/run-link.js';
import { runNews } from '../../features/runs/run-news.js';
import { useDatasetNames } from '../../features/runs/use-dataset-names.js';
import type { EvaluationsSearch } from './evaluations-search.js';
import { RUN_COLUMNS, runColumns } from './run-columns.js';
import styles from './evaluations-page.module.css';

const route = getRouteApi('/evaluations');
const SORTS = { keys: {}, usual: { sort_by: 'created_at', sort_order: 'desc' } } as const;
const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  { value: 'pending', label: 'Pending' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'cancelled', label: 'Cancelled' },
];
const nameOfRun = ({ name }: EvalRunSummary): string => name;

/** The list of runs of all datasets. */
export function EvaluationsPage() {
  const search: EvaluationsSearch = route.useSearch();
  const navigate = useNavigate();
  const change = useCallback(
    (next: EvaluationsSearch, isTyped = false) => void navigate({ to: '/evaluations', search: next, replace: isTyped }),
    [navigate],
  );
  const { cols: _cols, ...filters } = search;
  const { list, live, shownKey } = useRunList(filters);
  const { datasets, nameOf } = useDatasetNames();
  const { times } = usePreferences();
  // oxlint-disable-next-line react/exhaustive-deps -- the names are those of the datasets
  const all = useMemo(() => runColumns(zoneName(Date.now(), times), nameOf), [times, datasets]);
  const columns = useListColumns<EvalRunSummary, EvaluationsSearch>({
    ...{ list: 'runs', columns: all, offered: RUN_COLUMNS, search, onChange: change, sorts: SORTS },
  });
  const selected = useSelectedRows<EvalRunSummary>(nameOfRun);
  useEffect(() => rememberList('/evaluations', { ...search }));
  const isFiltered = search.dataset_id !== undefined || search.status !== undefined;
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  const create = (
    <Link to="/evaluations/new" className={styles.primary}>
      New evaluation
    </Link>
  );
  if (isEmpty && !isFiltered) {
    return (
      <>
        <PageHeading title="Evaluations" />
        <EmptyState title="No evaluations yet" action={create}>
          <p>
            A run has a model answer every datapoint of a dataset and scores the answers, so that two models or prompts
            can be compared.
          </p>
        </EmptyState>
      </>
    );
  }
  const set = (member: 'dataset_id' | 'status') => (event: { currentTarget: { value: string } }) => {
    const { [member]: _before, ...rest } = search;
    const { value } = event.currentTarget;
    change(value === '' ? rest : { ...rest, [member]: value });
  };
  return (
    <>
      <PageHeading title="Evaluations">{create}</PageHeading>
      <search aria-label="Filters" className={styles.filters}>
        <SelectField
          label="Dataset"
          value={search.dataset_id ?? ''}
          onChange={set('dataset_id')}
          options={[
            { value: '', label: 'Any dataset' },
            ...datasets.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <SelectField label="Status" value={search.status ?? ''} onChange={set('status')} options={STATUS_OPTIONS} />
      </search>
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

function CompareToolbar({ runs, onClear }: { runs: readonly EvalRunSummary[]; onClear(): void }) {
  const navigate = useNavigate();
  const isOneDataset = new Set(runs.map(({ dataset_id: id }) => id)).size === 1;
  const fault = faultOf(runs.length, isOneDataset);
  // The oldest is what the others are compared with.
  const ids = runs.toSorted((a, b) => a.created_at.localeCompare(b.created_at)).map(({ id }) => id);
  const compare = (): void => void navigate({ to: '/evaluations/compare', search: { runs: ids.join(',') } });
  return (
    <SelectionToolbar count={runs.length} onClear={onClear}>
      {fault !== null && <span>{fault}</span>}
      <Button variant="primary" disabled={fault !== null} onClick={compare}>
        Compare
      </Button>
    </SelectionToolbar>
  );
}

function faultOf(count: number, isOneDataset: boolean): string | null {
  if (count < 2) return 'Select one more to compare';
  if (count > COMPARED_MAX) return `${COMPARED_MAX} at most can be compared`;
  return isOneDataset ? null : 'Runs of one dataset can be compared';
}

function useRunList(filters: object) {
  const found = useFilteredList<EvalRunSummary>({
    name: 'runs',
    filters,
    queryAt: () => ({ ...filters }),
    fetch: listRuns,
    idOf: ({ id }) => id,
  });
  const live = useLiveList(found, { read: runNews, byIds: readRuns, recount: () => undefined }, true);
  return { ...found, live };
}

/** Runs as they are now. The API lists none by their ids; those that still change are seldom beyond the first page. */
async function readRuns(ids: readonly string[]): Promise<EvalRunSummary[]> {
  const answers = await Promise.allSettled(ids.map((id) => readRun(id)));
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}
