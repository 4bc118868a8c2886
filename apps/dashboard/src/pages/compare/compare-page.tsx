import type { ComparedItem, EvalRunResource, ComparedItemList, EvalRunSummary } from '@spandrel/contract';
import { formatCount, formatDifference, formatScore, formatShare, shownScore } from '@spandrel/contract/browser';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { gridRows } from '../../features/list/use-paged-list.js';
import { NotFound } from '../../components/not-found.js';
import { QueryFault, EmptyState, FaultNotice, PageHeading } from '../../components/page-parts.js';
import { withMember } from '../../features/filters/list-search.js';
import { useListPlace } from '../../features/list/list-memory.js';
import { useWayUp } from '../../features/list/way-up.js';
import { isNotFound } from '../../api/api-error.js';
import { FieldRow, SelectField } from '../../components/field.js';
import { Grid } from '../../components/grid/grid.js';
import { useDelayed } from '../../components/hooks.js';
import { COMPARED_MAX, dataText, describeWorst } from '../../features/runs/tries.js';
import { RunField, useRunOption } from '../../features/runs/run-queries.js';
import { DivisionFields } from '../../features/statistics/statistics-tables.js';
import { RunComparison, ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { Terms } from '../../features/statistics/terms.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { longTextColumn, NoRows, SHOWN_LENGTH } from '../../features/runs/run-list.js';
import { readCompareSearch, runIdsOf, type CompareSearch } from './compare-search.js';
import { useComparedRuns, useComparedItems } from './use-comparison.js';
import { DifferenceRegion, RunDifferences } from './difference-region.js';
import { Button } from '../../components/button.js';
import { costDigits, formatColumnCost, formatDuration } from '../../components/format.js';
import { RunLink } from '../../features/links.js';
import { usePageSearch } from '../../features/use-page-search.js';
import styles from './compare-page.module.css';

const route = getRouteApi('/evaluations/compare');
const TO_LIST = <Link to="/evaluations">Go to Evaluations</Link>;

/** `/evaluations/compare`: runs of one dataset side by side, what became worse first. */
export function ComparePage() {
  const search = usePageSearch(readCompareSearch);
  const navigate = route.useNavigate();
  const change = (next: CompareSearch, replace = false): void => void navigate({ search: next, replace });
  const { runs, isPending, error, retry } = useComparedRuns(search);
  const wayUp = useWayUp('/evaluations', 'Comparison');
  if (isNotFound(error)) return <NotFound what="Run" back={TO_LIST} />;
  return (
    <>
      {wayUp}
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
  onChange(search: CompareSearch, isReplacing?: boolean): void;
}

function Comparison({ runs, search, onChange }: ComparisonProps) {
  const { list, shownKey, summary, opened } = useComparedItems(runs, search);
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
      <ComparedRuns {...{ runs, baseline }} onChange={setRuns} />
      <FieldRow>
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
        <DivisionFields runId={baseline.id} division={search} onChange={set} />
      </FieldRow>
      {runs.length === 1 ? (
        <p>Add a run to compare this one with.</p>
      ) : (
        summary !== undefined && <SummaryList summary={summary} />
      )}
      {others.map((run) => (
        <RunDifferences key={run.id} {...{ run, baseline }} />
      ))}
      {others.length > 0 && (
        <section aria-label="Statistics" className="stack">
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
          onOpen={({ datapoint_id: item }, isReplacing) => onChange({ ...search, item }, isReplacing)}
          {...place}
        />
      )}
      {opened !== null && (
        <DifferenceRegion item={opened} {...{ runs, search }} baseline={baseline.id} onClose={() => onChange(closed)} />
      )}
    </>
  );
}

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
    {
      id: 'delta',
      header: 'Delta',
      width: 72,
      align: 'end',
      cell: ({ delta }) => <Change by={delta}>{formatDifference(delta)}</Change>,
    },
  ];
}

function ResultCell({ result }: { result: ComparedItem['results'][number] | undefined }) {
  const text = result?.error ?? result?.output ?? '';
  const worst = describeWorst(result ?? {});
  return (
    <>
      <span className={styles.score}>{formatScore(result?.score)}</span>{' '}
      {worst !== null && <span className={styles.what}>worst {worst} </span>}
      <bdi className={result?.error == null ? undefined : 'failed'}>{text.slice(0, SHOWN_LENGTH)}</bdi>
    </>
  );
}

const COLUMNS = ['Run', 'Model', 'Score', 'Pass rate', 'Cost a sample', 'p50', 'Tokens a sample'];

interface ComparedRunsProps {
  runs: readonly EvalRunResource[];
  baseline: EvalRunResource;
  onChange(ids: readonly string[]): void;
}

function ComparedRuns({ runs, baseline, onChange }: ComparedRunsProps) {
  const digits = costDigits(runs.map(costOf));
  const without = (id: string): void => onChange(runs.flatMap((run) => (run.id === id ? [] : run.id)));
  return (
    <ScrolledTable caption="Compared runs" isCaptionHidden columns={COLUMNS} starts={['Model']}>
      {runs.map((run) => (
        <ComparedRun
          key={run.id}
          {...{ run, baseline, digits }}
          {...(runs.length > 1 && { onRemove: () => without(run.id) })}
        />
      ))}
    </ScrolledTable>
  );
}

type Amount = number | null | undefined;
/** What its calls took in the mean; of a run that took answers of earlier ones over nothing says it. */
const ofCalls =
  (amountOf: (run: EvalRunResource) => Amount) =>
  (run: EvalRunResource): Amount =>
    run.reused_samples === 0 && run.sample_progress > 0 ? amountOf(run) : null;

const costOf = ofCalls((run) => run.sample_cost?.mean);

interface ComparedAmount {
  of(run: EvalRunResource): Amount;
  /** @param digits decimals of the costs. */
  format(value: Amount, digits: number): string;
  isBetter: 1 | -1;
}

const AMOUNTS: readonly ComparedAmount[] = [
  { of: (run) => shownScore(run).mean, format: formatScore, isBetter: 1 },
  { of: (run) => shownScore(run).pass_rate?.mean, format: formatShare, isBetter: 1 },
  { of: costOf, format: formatColumnCost, isBetter: -1 },
  { of: (run) => run.latency_ms?.p50, format: formatDuration, isBetter: -1 },
  {
    of: ofCalls((run) => Math.round(run.total_tokens / run.sample_progress)),
    format: formatCount,
    isBetter: -1,
  },
];

interface ComparedRunProps extends Record<'run' | 'baseline', EvalRunResource> {
  digits: number;
  onRemove?(): void;
}

function ComparedRun({ run, baseline, digits, onRemove }: ComparedRunProps) {
  const pairs = AMOUNTS.map(({ of, ...how }) => ({ value: of(run), from: of(baseline), ...how }));
  return (
    <tr>
      <th scope="row">
        <span className={styles.run}>
          <RunLink run={run} />
          {run === baseline && <span>baseline</span>}
          {onRemove && <Button variant="quiet" icon="close" iconOnly onClick={onRemove}>{`Remove ${run.name}`}</Button>}
        </span>
      </th>
      <td data-align="start" dir="auto">
        {run.config.model}
      </td>
      {pairs.map(({ value, from, format, isBetter }, at) => {
        const share = run === baseline ? null : shareOfChange(from, value);
        return (
          <td key={COLUMNS[at + 2]}>
            {format(value, digits)}{' '}
            {share !== null && <Change by={share * isBetter}>{formatDifference(share, formatShare)}</Change>}
          </td>
        );
      })}
    </tr>
  );
}

/** By what share of it a value changed; `null` where one is not known, or nothing can be a share of it. */
function shareOfChange(from: number | null | undefined, to: number | null | undefined): number | null {
  return from == null || to == null || from === 0 ? null : (to - from) / from;
}

/** A change, in a colour that says what its sign does. @param by how much better it became. */
export function Change({ by, children }: { by: number | null; children: ReactNode }) {
  const change = by === null || by === 0 ? undefined : by < 0 ? 'worse' : 'better';
  return (
    <span className={styles.delta} data-change={change}>
      {children}
    </span>
  );
}
