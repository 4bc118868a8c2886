import type { EvalRunSummary } from '@spandrel/contract';
import { formatShare, shownScore } from '@spandrel/contract/browser';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, type ReactNode } from 'react';
import { capitalized } from '../../components/format.js';
import { QueryFault, EmptyState, PageHeading } from '../../components/page-parts.js';
import { Button, useMayWrite } from '../../components/button.js';
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
import { SelectField } from '../../components/field.js';
import { withMember } from '../../features/filters/list-search.js';
import { FilterChips } from '../../features/filters/filter-bar.js';
import { SearchFilter } from '../../features/filters/search-filter.js';
import { usePageSearch } from '../../features/use-page-search.js';
import {
  RUN_SORTS,
  STATUSES,
  readEvaluationsSearch,
  metadataIn,
  type EvaluationsSearch,
} from './evaluations-search.js';
import styles from './evaluations-page.module.css';

const nameOfRun = ({ name }: EvalRunSummary): string => name;

/** The list of runs of all datasets. */
export function EvaluationsPage() {
  const search = usePageSearch(readEvaluationsSearch);
  const navigate = useNavigate();
  const change = (next: EvaluationsSearch, isTyped = false): void =>
    void navigate({ to: '/evaluations', search: next, replace: isTyped });
  const { cols: _cols, ...filters } = search;
  const { list, live, shownKey } = useRunList(filters);
  const { query, nameOf } = useDatasetNames();
  // oxlint-disable-next-line react/exhaustive-deps -- the names are those of the datasets
  const columnsIn = useCallback((zone: string) => runColumns(zone, nameOf), [query.data]);
  const isGroup = search.group_id !== undefined;
  const groupColumnsIn = useCallback((zone: string) => [...columnsIn(zone), ...GROUP_COLUMNS], [columnsIn]);
  const columns = useListColumns<EvalRunSummary, EvaluationsSearch>({
    ...{ search, onChange: change, sorts: RUN_SORTS },
    ...(isGroup
      ? { list: 'group', columnsIn: groupColumnsIn, offered: OF_GROUP }
      : { list: 'runs', columnsIn, offered: RUN_COLUMNS }),
  });
  const selected = useSelectedRows<EvalRunSummary>(nameOfRun);
  useEffect(() => rememberList('/evaluations', { ...search }));
  const { sort_by: _by, sort_order: _order, ...narrowing } = filters;
  const isFiltered = Object.keys(narrowing).length > 0;
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
      <QueryFault title="The runs could not be loaded" query={list} />
      {search.dataset_id !== undefined && <RunTrend runs={list.readRows} />}
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

const STATUS_OPTIONS = [
  { value: '', label: 'Any status' },
  ...STATUSES.map((value) => ({ value, label: capitalized(value) })),
];

const EXECUTION_OPTIONS = [
  { value: '', label: 'Any execution' },
  { value: 'server', label: 'By this server' },
  { value: 'external', label: 'External' },
];

const GATES_OPTIONS = [
  { value: '', label: 'Passed or not' },
  { value: 'true', label: 'Passed' },
  { value: 'false', label: 'Not passed' },
];

function RunFilters(props: {
  search: EvaluationsSearch;
  onChange(search: EvaluationsSearch, isTyped?: boolean): void;
}) {
  const { search, onChange } = props;
  const { datasets } = useDatasetNames();
  const change = (member: keyof EvaluationsSearch, value: string, isTyped = false): void =>
    onChange(withMember(search, member, value), isTyped);
  const named = datasets.map(({ id, name }) => ({ value: id, label: name }));
  const choices = [
    { member: 'dataset_id', label: 'Dataset', options: [{ value: '', label: 'Any dataset' }, ...named] },
    { member: 'status', label: 'Status', options: STATUS_OPTIONS },
    { member: 'execution', label: 'Execution', options: EXECUTION_OPTIONS },
    { member: 'passed', label: 'Gates', options: GATES_OPTIONS },
  ] as const;
  const metadata = metadataIn({ ...search });
  const texts = search.group_id === undefined ? metadata : [['group_id', search.group_id] as const, ...metadata];
  const chips = texts.map(([name, value]) => ({
    ...{ name: name === 'group_id' ? 'Group' : name, value },
    without: (before: EvaluationsSearch) => withMember(before, name, ''),
  }));
  return (
    <search aria-label="Filters" className={styles.filters}>
      <SearchFilter
        isEntered={false}
        label="Run name"
        value={search.name ?? ''}
        onChange={(name) => change('name', name, true)}
      />
      {choices.map(({ member, ...choice }) => (
        <SelectField
          key={member}
          {...choice}
          value={search[member] ?? ''}
          onChange={(event) => change(member, event.currentTarget.value)}
        />
      ))}
      <FilterChips chips={chips} onRemove={(chip) => onChange(chip.without(search))} onClear={() => onChange({})} />
    </search>
  );
}

/** What the runs of a group have beside the columns of all runs. */
const GROUP_COLUMNS: readonly GridColumn<EvalRunSummary>[] = [
  cellColumn('pass_rate', 'Pass rate', { width: 92, align: 'end' }, (run) =>
    formatShare(shownScore(run).pass_rate?.mean),
  ),
  durationColumn('latency', 'Latency p50', 92, ({ latency_ms: latency }) => latency?.p50),
];

/** Columns of the list of a group, and those that it has when nobody chose. */
const OF_GROUP: OfferedColumns = {
  all: [...RUN_COLUMNS.all, 'pass_rate', 'latency'],
  usual: ['name', 'model', 'status', 'progress', 'score', 'pass_rate', 'gates', 'cost', 'latency'],
};
