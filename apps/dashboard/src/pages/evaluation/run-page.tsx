import type { EvalItem, EvalRunResource } from '@spandrel/contract';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField } from '../../components/field.js';
import { Grid } from '../../components/grid/grid.js';
import { PageHeading } from '../../components/page-heading.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { FactList } from '../../features/facts/fact-list.js';
import { useWayUp } from '../../features/list-memory.js';
import { useListPlace } from '../../features/list-place.js';
import type { PagedList } from '../../features/paged-list/use-paged-list.js';
import { useDatasetNames } from '../../features/runs/use-dataset-names.js';
import { OFFERED_RESULT_COLUMNS, RESULT_COLUMNS } from './result-columns.js';
import { ResultRegion } from './result-region.js';
import { RunActions } from './run-actions.js';
import { runFacts } from './run-facts.js';
import { RESULT_SORTS, type RunSearch } from './run-search.js';
import { useRun } from './use-run.js';
import styles from './run-page.module.css';

const route = getRouteApi('/evaluations/$id');
const SHOW_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'failed', label: 'Failed' },
  { value: 'below_1', label: 'Below 1' },
];

/** `/evaluations/:id`: a run with its results, as they come in. */
export function RunPage() {
  const { id } = route.useParams();
  const search: RunSearch = route.useSearch();
  const navigate = route.useNavigate();
  const { query, list, shownKey } = useRun(id, search);
  const change = useCallback(
    (next: RunSearch, isTyped = false) => void navigate({ search: next, replace: isTyped }),
    [navigate],
  );
  useWayUp(() => '/evaluations', 'Run');
  if (isNotFound(query.error)) return <RunNotFound />;
  const shown = list.readRows.find(({ datapoint_id: datapoint }) => datapoint === search.item);
  const close = (): void => {
    const { item: _item, ...rest } = search;
    change(rest);
  };
  return (
    <>
      <PageHeading title={query.data?.name ?? 'Run'}>{query.data && <RunActions run={query.data} />}</PageHeading>
      {query.error && (
        <FaultNotice title="The run could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data && <RunHead run={query.data} />}
      {list.error !== null && (
        <FaultNotice title="The results could not be loaded" error={list.error} onRetry={list.retry} />
      )}
      <Results {...{ list, shownKey, search }} onChange={change} />
      {shown !== undefined && <ResultRegion item={shown} onClose={close} />}
    </>
  );
}

function RunHead({ run }: { run: EvalRunResource }) {
  const { nameOf } = useDatasetNames();
  return (
    <>
      <div className={styles.progress}>
        <progress aria-label="Progress" value={run.total === 0 ? 1 : run.progress} max={run.total || 1} />
        <span>
          {run.progress} of {run.total}
        </span>
      </div>
      <FactList label="Run facts" facts={runFacts(run, nameOf(run.dataset_id))} />
      {run.error !== null && (
        <div role="group" aria-label="Error" className={styles.error}>
          {run.error}
        </div>
      )}
    </>
  );
}

interface ResultsProps {
  list: PagedList<EvalItem>;
  shownKey: string;
  search: RunSearch;
  onChange(search: RunSearch, isTyped?: boolean): void;
}

function Results({ list, shownKey, search, onChange }: ResultsProps) {
  const columns = useListColumns<EvalItem, RunSearch>({
    ...{ list: 'results', columns: RESULT_COLUMNS, offered: OFFERED_RESULT_COLUMNS, search, onChange },
    sorts: RESULT_SORTS,
  });
  const place = useListPlace();
  const show = (value: string): void => {
    const { only: _only, ...rest } = search;
    onChange(value === '' ? rest : { ...rest, only: value as 'failed' | 'below_1' });
  };
  return (
    <>
      <SelectField
        className={styles.show}
        label="Show"
        options={SHOW_OPTIONS}
        value={search.only ?? ''}
        onChange={(event) => show(event.currentTarget.value)}
      />
      <Grid<EvalItem>
        label="Results"
        listKey={shownKey}
        columns={columns.shown}
        length={list.length}
        isComplete={list.isComplete}
        rowAt={list.rowAt}
        keyAt={list.keyAt}
        onVisible={list.onVisible}
        onOpen={({ datapoint_id: item }) => onChange({ ...search, item })}
        {...place}
      />
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
