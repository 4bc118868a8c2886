import type { ComparedItem, EvalRunResource } from '@spandrel/contract';
import { useMemo } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField } from '../../components/field.js';
import { Grid } from '../../components/grid/grid.js';
import { useDelayed } from '../../components/use-delayed.js';
import { useListPlace } from '../../features/list-place.js';
import type { PagedList } from '../../features/paged-list/use-paged-list.js';
import { compareColumns } from './compare-columns.js';
import type { CompareSearch } from './compare-search.js';
import { AddRun, ComparedRuns } from './compared-runs.js';
import { ComparedStatistics } from './compared-statistics.js';
import { DifferenceRegion } from './difference-region.js';
import { SummaryList } from './summary-list.js';
import { useComparedItems } from './use-comparison.js';
import styles from './compare-page.module.css';

const SHOW_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'regressed', label: 'Regressed' },
  { value: 'improved', label: 'Improved' },
  { value: 'changed', label: 'Changed' },
];

interface ComparisonProps {
  runs: readonly EvalRunResource[];
  search: CompareSearch;
  onChange(search: CompareSearch): void;
}

/** Runs side by side: what became of their scores, and every datapoint with what each of them answered. */
export function Comparison({ runs, search, onChange }: ComparisonProps) {
  const { list, shownKey, summary, opened } = useComparedItems(runs[0]!.dataset_id, search);
  const baseline = runs.some(({ id }) => id === search.baseline) ? search.baseline! : runs[0]!.id;
  const set = (member: 'baseline' | 'only', value: string): void => {
    const { [member]: _before, item: _item, ...rest } = search;
    onChange(value === '' ? rest : { ...rest, [member]: value });
  };
  const setRuns = (ids: readonly string[]): void => {
    const { baseline: before, item: _item, ...rest } = search;
    onChange({
      ...rest,
      runs: ids.join(','),
      ...(before !== undefined && ids.includes(before) && { baseline: before }),
    });
  };
  const close = (): void => {
    const { item: _item, ...rest } = search;
    onChange(rest);
  };
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  return (
    <>
      <ComparedRuns runs={runs} onChange={setRuns} />
      <div className={styles.choices}>
        <SelectField
          label="Baseline"
          options={runs.map(({ id, name }) => ({ value: id, label: name }))}
          value={baseline}
          onChange={(event) => set('baseline', event.currentTarget.value)}
        />
        <SelectField
          label="Show"
          options={SHOW_OPTIONS}
          value={search.only ?? ''}
          onChange={(event) => set('only', event.currentTarget.value)}
        />
        <AddRun runs={runs} onChange={setRuns} />
      </div>
      {runs.length === 1 ? (
        <p>Add a run to compare this one with.</p>
      ) : (
        summary !== undefined && <SummaryList summary={summary} />
      )}
      <ComparedStatistics runs={runs} baseline={baseline} />
      {list.error !== null && (
        <FaultNotice title="The comparison could not be loaded" error={list.error} onRetry={list.retry} />
      )}
      {isEmpty ? (
        <NothingCompared isFiltered={search.only !== undefined} onClear={() => set('only', '')} />
      ) : (
        <ComparisonGrid
          {...{ runs, list, shownKey }}
          openKey={search.item}
          onOpen={({ datapoint_id: item }) => onChange({ ...search, item })}
        />
      )}
      {opened !== null && <DifferenceRegion item={opened} runs={runs} baseline={baseline} onClose={close} />}
    </>
  );
}

interface ComparisonGridProps {
  runs: readonly EvalRunResource[];
  list: PagedList<ComparedItem>;
  shownKey: string;
  openKey: string | undefined;
  onOpen(item: ComparedItem): void;
}

/** Rows that stand for those that are awaited. */
const AWAITED_ROWS = 30;

function ComparisonGrid({ runs, list, shownKey, openKey, onOpen }: ComparisonGridProps) {
  const names = JSON.stringify(runs.map(({ id, name }) => [id, name]));
  // oxlint-disable-next-line react/exhaustive-deps -- the columns are those of the runs and their names
  const columns = useMemo(() => compareColumns(runs), [names]);
  const isAwaited = useDelayed(list.isWaiting && list.length === 0);
  return (
    <Grid<ComparedItem>
      label="Comparison"
      listKey={shownKey}
      columns={columns}
      length={isAwaited ? AWAITED_ROWS : list.length}
      isComplete={list.isComplete}
      rowAt={list.rowAt}
      keyAt={list.keyAt}
      onVisible={list.onVisible}
      openKey={openKey}
      onOpen={onOpen}
      {...useListPlace()}
    />
  );
}

function NothingCompared({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  if (!isFiltered) {
    return (
      <EmptyState title="Nothing to compare">
        <p>The dataset had no datapoints when these runs began.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No datapoints match" action={<Button onClick={onClear}>Clear filters</Button>}>
      <p>Show says which datapoints are listed, by what became of their scores.</p>
    </EmptyState>
  );
}
