import type { EvalItem, EvalRunResource } from '@spandrel/contract';
import { formatScore, NONE, formatCount } from '@spandrel/contract/browser';
import { useMemo, useState } from 'react';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../components/page-parts.js';
import { SelectField } from '../../components/field.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { withMember } from '../../features/filters/list-search.js';
import { ListedGrid } from '../../features/list/list-page.js';
import { describeCount } from '../../features/list/list-rules.js';
import type { PagedList } from '../../features/list/use-paged-list.js';
import { NOT_LIVE } from '../../features/list/use-live-list.js';
import { Badge } from '../../components/badge.js';
import {
  ResultBadge,
  describeCalls,
  hasScoresByName,
  isUnscored,
  NOT_SCORED,
  SamplesList,
  ScorerList,
} from '../../features/runs/samples-list.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { longTextColumn, NoRows } from '../../features/runs/run-list.js';
import { costColumn, countColumn, durationColumn } from '../../features/columns/usual-columns.js';
import { dataText, describePasses, describeWorst, passesOf, wholeCost } from '../../features/runs/tries.js';
import { RESULT_SORTS, type RunSearch } from './run-search.js';
import { statusWord, useSamples } from './use-run.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import { formatCost, formatCostExactly, formatDuration, formatDurationExactly } from '../../components/format.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { CommentsButton } from '../../features/comments/comments-button.js';
import { DatapointActions, RecordedInput, RowRegion, RunError } from '../../features/runs/opened-row.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import { runAddress, traceAddress } from '../../features/addresses.js';
import { wordsOfScorer } from '../../features/scorer-words.js';
import styles from './run-page.module.css';

const SHOW_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'failed', label: 'Failed' },
  { value: 'not_passed', label: 'Not passed' },
  { value: 'flaky', label: 'Flaky' },
  { value: 'below_1', label: 'Below 1' },
];

interface ResultsProps {
  list: PagedList<EvalItem>;
  shownKey: string;
  search: RunSearch;
  run: EvalRunResource | undefined;
  onChange(search: RunSearch, isTyped?: boolean): void;
}

/** The results of a run, all or those that want to be looked at. */
export function Results({ list, shownKey, search, run, onChange }: ResultsProps) {
  const made = JSON.stringify([run?.repeats, run?.scorers.map(({ name, weight }) => [name, weight])]);
  // oxlint-disable-next-line react/exhaustive-deps -- the columns are those of what the run was made of
  const offered = useMemo(() => resultColumns(run), [made]);
  const columns = useListColumns<EvalItem, RunSearch>({
    ...{ list: 'results', ...offered, search, onChange, sorts: RESULT_SORTS },
  });
  const show = (value: string): void => {
    const { item: _item, ...rest } = search;
    onChange(withMember<RunSearch>(rest, 'only', value));
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
        <NoRows what="results" isFiltered={search.only !== undefined} onClear={() => show('')}>
          <EmptyState title="No results">
            <p>The dataset had no datapoints when the run began.</p>
          </EmptyState>
        </NoRows>
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
      onOpen={({ datapoint_id: item }, isReplacing) => onChange({ ...search, item }, isReplacing)}
      isDeleted={() => false}
    />
  );
}

/** Scorers that have a column each unless somebody chooses otherwise. */
const SHOWN_SCORERS = 3;

function resultColumns(run: EvalRunResource | undefined) {
  const { scorers: scored = [], repeats = 1 } = run ?? {};
  // The score of the item is that of the only scorer, if it counts.
  const isOnly = scored.length === 1 && scored[0]!.weight > 0;
  const scorers = isOnly ? [] : scored.map(({ name }) => scorerColumn(name));
  const passes = repeats === 1 ? [] : [PASSES, WORST];
  const columns = COLUMNS.flatMap((column) => (column.id === 'score' ? [column, ...scorers, ...passes] : [column]));
  const hidden = new Set(scorers.slice(SHOWN_SCORERS).map(({ id }) => id));
  const all = columns.map(({ id }) => id);
  return { columnsIn: () => columns, offered: { all, usual: all.filter((id) => !hidden.has(id)) } };
}

const scorerColumn = (name: string): GridColumn<EvalItem> => ({
  id: `scorer-${name}`,
  header: wordsOfScorer(name),
  width: 80,
  align: 'end',
  cell: ({ scores }) => formatScore(scores[name]?.score),
});

const PASSES: GridColumn<EvalItem> = {
  id: 'passes',
  header: 'Passed',
  width: 130,
  cell: (item) => {
    const passes = passesOf(item);
    if (passes === null) return NONE;
    return <Badge tone={passes.isFlaky ? 'running' : 'plain'}>{describePasses(passes)}</Badge>;
  },
};

const WORST = cellColumn<EvalItem>('worst', 'Worst try', 96, (item) => describeWorst(item) ?? NONE);

const COLUMNS: readonly GridColumn<EvalItem>[] = [
  longTextColumn('input', 'Input', 180, ({ input }) => dataText(input)),
  longTextColumn('expected', 'Expected', 130, ({ expected }) => expected),
  longTextColumn('output', 'Output', 180, ({ output }) => output),
  { id: 'score', header: 'Score', width: 64, align: 'end', cell: ({ score }) => formatScore(score) },
  durationColumn('latency', 'Latency', 80, ({ latency_ms: ms }) => ms),
  countColumn('tokens', 'Tokens', 72, ({ tokens }) => tokens),
  costColumn('cost', 'Cost', 80, wholeCost),
  { id: 'status', header: 'Status', width: 104, cell: (item) => <ResultBadge {...item} /> },
];

interface ResultRegionProps {
  item: EvalItem;
  runId: string;
  run: EvalRunResource | undefined;
  onClose(): void;
}

/** One result of a run: what was expected and what came, with what was thought of it. */
export function ResultRegion({ item, runId, run, onClose }: ResultRegionProps) {
  const [mode, setMode] = useState<DiffMode>('side');
  const { input, expected, output, error, score_reason: reason, trace_id: trace } = item;
  const samples = useSamples(runId, item);
  const isOfSeveral = hasScoresByName(item);
  return (
    <RowRegion
      title="Result"
      shown={item.datapoint_id}
      onClose={onClose}
      actions={
        <>
          <CommentsButton
            key={item.datapoint_id}
            target={{ target_type: 'result', target_id: item.datapoint_id, parent_id: runId }}
          />
          {run !== undefined && <DatapointActions datasetId={run.dataset_id} id={item.datapoint_id} />}
          {trace !== null && <Link to={traceAddress(trace)}>Open trace</Link>}
        </>
      }
    >
      <FactList label="Result facts" facts={resultFacts(item)} />
      {error !== null && <RunError>{error}</RunError>}
      <h3>Input</h3>
      <RecordedInput value={input} />
      <h3>{samples === null ? 'Expected and output' : 'Expected and the first output'}</h3>
      {expected !== null && output !== null ? (
        <ChoiceGroup<DiffMode> label="Diff" choices={DIFF_MODES} value={mode} onChange={setMode} />
      ) : (
        <p>{withoutText(item)}</p>
      )}
      <DiffView beforeName="Expected" afterName="Output" before={expected} after={output} mode={mode} />
      {isOfSeveral && <ScorerList scores={item.scores} />}
      {!isOfSeveral && samples === null && reason !== null && (
        <p role="group" aria-label="Reason of the score" dir="auto">
          {reason}
        </p>
      )}
      {samples !== null && <SamplesList samples={samples} />}
      {item.former_attempts && <SamplesList samples={item.former_attempts} title="Former attempts" />}
    </RowRegion>
  );
}

function withoutText({ expected, output, status }: EvalItem): string {
  if (expected === null)
    return output === null ? 'There is no expected value and no output.' : 'There is no expected value.';
  return status === 'pending' || status === 'running' ? 'There is no output yet.' : 'There is no output.';
}

const costFact = (name: string, cost: number | null): Fact => ({
  ...{ name, value: formatCost(cost), exact: formatCostExactly(cost) },
});

function resultFacts(item: EvalItem): Fact[] {
  const { latency_ms: ms, judge_model: judge, metadata, passed } = item;
  const passes = passesOf(item);
  return [
    { name: 'Status', value: isUnscored(item) ? NOT_SCORED : statusWord(item) },
    { name: 'Score', value: formatScore(item.score), exact: String(item.score ?? '') },
    ...(passes === null ? [] : [{ name: 'Passed', value: describePasses(passes) }]),
    ...(passes !== null || typeof passed !== 'boolean' ? [] : [{ name: 'Passed', value: passed ? 'Yes' : 'No' }]),
    ...(describeWorst(item) === null ? [] : [{ name: 'Worst try', value: describeWorst(item)! }]),
    { name: 'Latency', value: formatDuration(ms), exact: formatDurationExactly(ms) },
    { name: 'Tokens', value: formatCount(item.tokens) },
    costFact('Cost', wholeCost(item)),
    ...(item.judge_cost === null
      ? []
      : [costFact('Cost of the call', item.cost), costFact('Cost of judges', item.judge_cost)]),
    { name: 'Attempts', value: formatCount(item.attempts) },
    ...(item.reused_run_id === null
      ? []
      : [{ name: 'Answer', value: 'That of an earlier run', to: runAddress(item.reused_run_id) }]),
    ...(judge === null ? [] : [{ name: 'Judge', value: `${judge}${describeCalls(item.judge_attempts)}` }]),
    ...(metadata === null ? [] : [{ name: 'Metadata', value: JSON.stringify(metadata) }]),
  ];
}
