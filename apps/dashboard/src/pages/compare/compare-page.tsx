import type { ComparedItem, EvalRunResource } from '@spandrel/contract';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField } from '../../components/field.js';
import { Grid } from '../../components/grid/grid.js';
import { PageHeading } from '../../components/page-heading.js';
import { useWayUp } from '../../features/list-memory.js';
import { useListPlace } from '../../features/list-place.js';
import { compareColumns } from './compare-columns.js';
import { runIdsOf, type CompareSearch } from './compare-search.js';
import { DifferenceRegion } from './difference-region.js';
import { SummaryList } from './summary-list.js';
import { useComparedItems, useComparedRuns } from './use-comparison.js';
import styles from './compare-page.module.css';

const route = getRouteApi('/evaluations/compare');
const SHOW_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'regressed', label: 'Regressed' },
  { value: 'improved', label: 'Improved' },
  { value: 'changed', label: 'Changed' },
];

/** `/evaluations/compare`: runs of one dataset side by side, what became worse first. */
export function ComparePage() {
  const search: CompareSearch = route.useSearch();
  const { runs, isPending, error } = useComparedRuns(search);
  useWayUp(() => '/evaluations', 'Comparison');
  const isTooFew = runIdsOf(search).length === 0;
  return (
    <>
      <PageHeading title="Compare runs" />
      {isTooFew && (
        <EmptyState title="No runs are chosen" action={<Link to="/evaluations">Go to Evaluations</Link>}>
          <p>Select two to four runs of a dataset there, and press Compare.</p>
        </EmptyState>
      )}
      {error && <FaultNotice title="The runs could not be loaded" error={error} />}
      {!isTooFew && !isPending && error === null && <Comparison runs={runs} search={search} />}
    </>
  );
}

function Comparison({ runs, search }: { runs: readonly EvalRunResource[]; search: CompareSearch }) {
  const navigate = route.useNavigate();
  const change = useCallback((next: CompareSearch) => void navigate({ search: next }), [navigate]);
  const { list, shownKey, summary } = useComparedItems(runs[0]!.dataset_id, search);
  const ids = runs.map(({ id }) => id).join();
  // oxlint-disable-next-line react/exhaustive-deps -- the columns are those of the runs
  const columns = useMemo(() => compareColumns(runs), [ids]);
  const place = useListPlace();
  const set = (member: 'baseline' | 'only') => (event: { currentTarget: { value: string } }) => {
    const { [member]: _before, ...rest } = search;
    const { value } = event.currentTarget;
    change(value === '' ? rest : { ...rest, [member]: value });
  };
  const shown = list.readRows.find(({ datapoint_id: id }) => id === search.item);
  const close = (): void => {
    const { item: _item, ...rest } = search;
    change(rest);
  };
  const baseline = runs.some(({ id }) => id === search.baseline) ? search.baseline! : runs[0]!.id;
  return (
    <>
      <div className={styles.choices}>
        <SelectField
          label="Baseline"
          options={runs.map(({ id, name }) => ({ value: id, label: name }))}
          value={baseline}
          onChange={set('baseline')}
        />
        <SelectField label="Show" options={SHOW_OPTIONS} value={search.only ?? ''} onChange={set('only')} />
      </div>
      {summary !== undefined && <SummaryList summary={summary} />}
      {list.error !== null && (
        <FaultNotice title="The comparison could not be loaded" error={list.error} onRetry={list.retry} />
      )}
      <Grid<ComparedItem>
        label="Comparison"
        listKey={shownKey}
        columns={columns}
        length={list.length}
        isComplete={list.isComplete}
        rowAt={list.rowAt}
        keyAt={list.keyAt}
        onVisible={list.onVisible}
        onOpen={({ datapoint_id: item }) => change({ ...search, item })}
        {...place}
      />
      {shown !== undefined && <DifferenceRegion item={shown} runs={runs} baseline={baseline} onClose={close} />}
    </>
  );
}
