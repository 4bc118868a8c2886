import type { EvalItem, EvalRunResource } from '@spandrel/contract';
import { useMemo } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { SelectField } from '../../components/field.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { ListedGrid } from '../../features/list-page/listed-grid.js';
import { describeCount } from '../../features/paged-list/describe-count.js';
import type { PagedList } from '../../features/paged-list/use-paged-list.js';
import { NOT_LIVE } from '../../features/runs/not-live.js';
import { resultColumns } from './result-columns.js';
import { RESULT_SORTS, type RunSearch } from './run-search.js';
import styles from './run-page.module.css';

const SHOW_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'failed', label: 'Failed' },
  { value: 'below_1', label: 'Below 1' },
];

interface ResultsProps {
  list: PagedList<EvalItem>;
  shownKey: string;
  search: RunSearch;
  /** Left out while it is awaited. */
  run: EvalRunResource | undefined;
  onChange(search: RunSearch, isTyped?: boolean): void;
}

/** The results of a run, all or those that want to be looked at. */
export function Results({ list, shownKey, search, run, onChange }: ResultsProps) {
  const made = JSON.stringify([run?.repeats, run?.pass_score, run?.scorers.map(({ name }) => name)]);
  // oxlint-disable-next-line react/exhaustive-deps -- the columns are those of what the run was made of
  const offered = useMemo(() => resultColumns(run), [made]);
  const columns = useListColumns<EvalItem, RunSearch>({
    ...{ list: 'results', ...offered, search, onChange },
    sorts: RESULT_SORTS,
  });
  const show = (value: string): void => {
    const { only: _only, item: _item, ...rest } = search;
    onChange(value === '' ? rest : { ...rest, only: value as 'failed' | 'below_1' });
  };
  const choice = (
    <SelectField
      className={styles.show}
      label="Show"
      options={SHOW_OPTIONS}
      value={search.only ?? ''}
      onChange={(event) => show(event.currentTarget.value)}
    />
  );
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  if (isEmpty) {
    return (
      <>
        {choice}
        <NoResults isFiltered={search.only !== undefined} onClear={() => show('')} />
      </>
    );
  }
  return (
    <ListedGrid<EvalItem>
      label="Results"
      one="result"
      count={describeCount(list, null, 'result')}
      live={NOT_LIVE}
      toolbar={choice}
      openKey={search.item}
      {...{ list, columns, shownKey }}
      onOpen={({ datapoint_id: item }) => onChange({ ...search, item })}
      isDeleted={() => false}
    />
  );
}

function NoResults({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  if (!isFiltered) {
    return (
      <EmptyState title="No results">
        <p>The dataset had no datapoints when the run began.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No results match" action={<Button onClick={onClear}>Clear filters</Button>}>
      <p>Show says which results are listed.</p>
    </EmptyState>
  );
}
