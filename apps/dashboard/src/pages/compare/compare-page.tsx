import type { ComparedItem, EvalRunResource, ComparedItemList, EvalRunSummary } from '@spandrel/contract';
import { formatCount, formatDifference, formatScore } from '@spandrel/contract/browser';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { gridRows } from '../../features/list/use-paged-list.js';
import { NotFound } from '../../components/not-found.js';
import { QueryFault, EmptyState, FaultNotice, PageHeading } from '../../components/page-parts.js';
import { withMember } from '../../features/filters/list-search.js';
import { useListPlace, useWayUp } from '../../features/list/list-memory.js';
import { isNotFound } from '../../api/api-error.js';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { Grid } from '../../components/grid/grid.js';
import { useDelayed } from '../../components/hooks.js';
import { formatCost } from '../../components/format.js';
import { COMPARED_MAX, dataText } from '../../features/runs/run-rules.js';
import { RunLink } from '../../features/links.js';
import { RunField, useRunOption } from '../../features/runs/run-queries.js';
import { ScoreWithBar } from '../../features/statistics/error-bar.js';
import { DivisionFields } from '../../features/statistics/division-fields.js';
import { RunComparison } from '../../features/statistics/statistics-tables.js';
import { Terms } from '../../features/statistics/terms.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { longTextColumn, NoRows, SHOWN_LENGTH } from '../../features/runs/run-list.js';
import { runIdsOf, type CompareSearch } from './compare-search.js';
import { useComparedRuns, useComparedItems } from './use-comparison.js';
import { DifferenceRegion } from './difference-region.js';
import { RunDifferences } from './run-differences.js';
import styles from './compare-page.module.css';

const route = getRouteApi('/evaluations/compare');
const TO_LIST = <Link to="/evaluations">Go to Evaluations</Link>;

/** `/evaluations/compare`: runs of one dataset side by side, what became worse first. */
export function ComparePage() {
  const search: CompareSearch = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: CompareSearch): void => void navigate({ search: next });
  const { runs, isPending, error, retry } = useComparedRuns(search);
  useWayUp(() => '/evaluations', 'Comparison');
  if (isNotFound(error)) return <NotFound what="Run" back={TO_LIST} />;
  return (
    <>
      <PageHeading title="Compare runs" />
      {runIdsOf(search).length === 0 && (
        <EmptyState title="No runs are chosen" action={TO_LIST}>
          <p>Select two to four runs of a dataset there, and press Compare.</p>
        </EmptyState>
      )}
      {error && <FaultNotice title="The runs could not be loaded" error={error} onRetry={retry} />}
      {!isPending && error === null && runs.length > 0 && <Comparison runs={runs} search={search} onChange={change} />}
    </>
  );
}

const SHOW_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'regressed', label: 'Regressed' },
  { value: 'improved', label: 'Improved' },
  { value: 'changed', label: 'Changed' },
];

const AWAITED_ROWS = 30;

interface ComparisonProps {
  runs: readonly EvalRunResource[];
  search: CompareSearch;
  onChange(search: CompareSearch): void;
}

function Comparison({ runs, search, onChange }: ComparisonProps) {
  const { list, shownKey, summary, opened } = useComparedItems(runs[0]!.dataset_id, search);
  const baseline = runs.find(({ id }) => id === search.baseline) ?? runs[0]!;
  const others = runs.filter((run) => run !== baseline);
  const { item: _item, ...closed } = search;
  const set = (member: keyof CompareSearch, value: string): void =>
    onChange(withMember<CompareSearch>(closed, member, value));
  const setRuns = (ids: readonly string[]): void => {
    const { baseline: before, ...rest } = closed;
    const kept = before !== undefined && ids.includes(before) && { baseline: before };
    onChange({ ...rest, runs: ids.join(','), ...kept });
  };
  const names = JSON.stringify(runs.map(({ id, name }) => [id, name]));
  // oxlint-disable-next-line react/exhaustive-deps -- the columns are those of the runs and their names
  const columns = useMemo(() => compareColumns(runs), [names]);
  const isAwaited = useDelayed(list.isWaiting && list.length === 0);
  const place = useListPlace();
  const toOption = useRunOption();
  const ids = runs.map(({ id }) => id);
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  return (
    <>
      <ComparedRuns runs={runs} onChange={setRuns} />
      <div className={styles.choices}>
        <SelectField
          label="Baseline"
          options={runs.map(toOption)}
          value={baseline.id}
          onChange={(event) => set('baseline', event.currentTarget.value)}
        />
        <SelectField
          label="Show"
          options={SHOW_OPTIONS}
          value={search.only ?? ''}
          onChange={(event) => set('only', event.currentTarget.value)}
        />
        <DivisionFields runId={baseline.id} division={search} onChange={set} />
        {runs.length < COMPARED_MAX && (
          <RunField
            label="Add run"
            none="Choose a run"
            datasetId={runs[0]!.dataset_id}
            without={ids}
            value=""
            onChange={(id) => id !== '' && setRuns([...ids, id])}
          />
        )}
      </div>
      {runs.length === 1 ? (
        <p>Add a run to compare this one with.</p>
      ) : (
        summary !== undefined && <SummaryList summary={summary} />
      )}
      {others.map((run) => (
        <RunDifferences key={run.id} {...{ run, baseline }} />
      ))}
      {others.length > 0 && (
        <section aria-label="Statistics" className={styles.statistics}>
          <h2>Statistics</h2>
          {others.map((run) => (
            <RunComparison key={run.id} {...{ run, baseline }} division={search} />
          ))}
          <Terms />
        </section>
      )}
      <QueryFault title="The comparison could not be loaded" query={list} />
      {isEmpty ? (
        <NoRows what="datapoints" isFiltered={search.only !== undefined} onClear={() => set('only', '')}>
          <EmptyState title="Nothing to compare">
            <p>The dataset had no datapoints when these runs began.</p>
          </EmptyState>
        </NoRows>
      ) : (
        <Grid<ComparedItem>
          label="Comparison"
          listKey={shownKey}
          columns={columns}
          {...gridRows(list)}
          length={isAwaited ? AWAITED_ROWS : list.length}
          openKey={search.item}
          onOpen={({ datapoint_id: item }) => onChange({ ...search, item })}
          {...place}
        />
      )}
      {opened !== null && (
        <DifferenceRegion item={opened} runs={runs} baseline={baseline.id} onClose={() => onChange(closed)} />
      )}
    </>
  );
}

interface ComparedRunsProps {
  runs: readonly EvalRunResource[];
  onChange(ids: readonly string[]): void;
}

function ComparedRuns({ runs, onChange }: ComparedRunsProps) {
  const ids = runs.map(({ id }) => id);
  return (
    <ul aria-label="Compared runs" className={styles.runs}>
      {runs.map((run) => (
        <li key={run.id} className={styles.run}>
          <RunLink run={run} />
          <span dir="auto">{run.config.model}</span>
          <span>{run.scorers.map(({ name }) => name).join(', ')}</span>
          <span>
            Score <ScoreWithBar score={run.avg_score} ci={run.score_ci} />
          </span>
          <span>{formatCost(run.total_cost)}</span>
          {runs.length > 1 && (
            <Button
              variant="quiet"
              icon="close"
              iconOnly
              onClick={() => onChange(ids.filter((id) => id !== run.id))}
            >{`Remove ${run.name}`}</Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What became of the scores: `4 regressed`, `1 improved`, `1 unchanged`. */
function SummaryList({ summary }: { summary: ComparedItemList['summary'] }) {
  const { regressed, improved, unchanged, incomparable, mean_delta: mean } = summary;
  return (
    <ul aria-label="Summary" className={styles.summary}>
      <li>{formatCount(regressed)} regressed</li>
      <li>{formatCount(improved)} improved</li>
      <li>{formatCount(unchanged)} unchanged</li>
      {incomparable > 0 && <li>{formatCount(incomparable)} not comparable</li>}
      {mean !== null && <li>{formatDifference(mean)} on average</li>}
    </ul>
  );
}

function compareColumns(runs: readonly EvalRunSummary[]): GridColumn<ComparedItem>[] {
  return [
    longTextColumn('input', 'Input', 140, ({ input }) => dataText(input)),
    longTextColumn('expected', 'Expected', 110, ({ expected }) => expected),
    ...runs.map((run, at) => ({
      id: run.id,
      header: run.name,
      width: 150,
      grows: true,
      cell: ({ results }: ComparedItem) => <ResultCell result={results[at]} />,
    })),
    { id: 'delta', header: 'Delta', width: 72, align: 'end', cell: ({ delta }) => <Delta delta={delta} /> },
  ];
}

/** The sign says what the colour does. */
function Delta({ delta }: { delta: number | null }) {
  const change = delta === null || delta === 0 ? undefined : delta < 0 ? 'worse' : 'better';
  return (
    <span className={styles.delta} data-change={change}>
      {formatDifference(delta)}
    </span>
  );
}

function ResultCell({ result }: { result: ComparedItem['results'][number] | undefined }) {
  const text = result?.error ?? result?.output ?? '';
  return (
    <>
      <span className={styles.score}>{formatScore(result?.score)}</span>{' '}
      <bdi className={result?.error == null ? undefined : styles.failed}>{text.slice(0, SHOWN_LENGTH)}</bdi>
    </>
  );
}
