import type { EvalStatistics, ScoreStatistics, EvalRunSummary } from '@spandrel/contract';
import {
  describeCorrection,
  formatCount,
  formatScore,
  formatShare,
  describePairs,
  describePreference,
  describeVerdict,
  formatDifference,
  formatMetadataValue,
  formatP,
  namedScores,
  shownGroup,
  type Bounds,
} from '@spandrel/contract/browser';
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { useLater } from '../../components/hooks.js';
import { capitalized, formatCost, formatDuration } from '../../components/format.js';
import { VERDICT_WORDS } from '../gates/gates.js';
import { QueryFault } from '../../components/page-parts.js';
import { keys } from '../../api/keys.js';
import { goesOn } from '../runs/tries.js';
import { wordsOfScorer } from '../scorer-words.js';
import { IntervalCell } from './error-bar.js';
import { groupKeys, type Division } from './division.js';
import { DIFFERENCES, scaleAround } from './scores.js';
import { SelectField } from '../../components/field.js';
import styles from './statistics-tables.module.css';

interface ScrolledTableProps {
  caption: string;
  /** Whether the caption is for screen readers alone. */
  isCaptionHidden?: boolean;
  /** Headers of its columns; those in `starts` begin where texts do. */
  columns: readonly string[];
  starts?: readonly string[];
  children: ReactNode;
}

/** A small table of numbers, which scrolls sideways in a narrow window. */
export function ScrolledTable({
  caption,
  isCaptionHidden = false,
  columns,
  starts = [],
  children,
}: ScrolledTableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a table wider than its place is scrolled by keys
    <div className={styles.place} tabIndex={0} role="group" aria-label={`${caption}, as a table`}>
      <table className={styles.table}>
        <caption className={isCaptionHidden ? 'visually-hidden' : undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" dir="auto" data-align={starts.includes(column) ? 'start' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

const SCORE = ['Score', 'Mean', '95% interval', 'Standard error', 'Pass rate', 'Pass rate, 95%'];
const REPEATED = ['Spread of tries', 'Always passed', 'Flaky', 'Never passed', 'Datapoints', 'Samples'];
const ONCE = ['Passed', 'Not passed', 'Datapoints'];
const SCORE_STARTS = ['95% interval', 'Pass rate, 95%'];

/** What a score is called. @param name its scorer's; `null` for that of all together. */
const wordsOf = (name: string | null): string => (name === null ? 'All together' : wordsOfScorer(name));

interface StatisticsProps {
  run: EvalRunSummary;
  statistics: EvalStatistics;
}

/** The scores of a run, all together and each scorer's: their means with intervals, and how many datapoints pass. */
export function ScoreTable({ run, statistics }: StatisticsProps) {
  const isRepeated = statistics.repeats > 1;
  const counted = isRepeated ? REPEATED : ONCE;
  return (
    <ScrolledTable caption="Scores of this run" isCaptionHidden columns={[...SCORE, ...counted]} starts={SCORE_STARTS}>
      {namedScores(statistics, run).map(({ name, of }) => (
        <tr key={name}>
          <th scope="row">{wordsOf(name)}</th>
          <td title={String(of.mean ?? '')}>{formatScore(of.mean)}</td>
          <IntervalCell value={of.mean} ci={of.ci} />
          <td>{formatScore(of.se)}</td>
          <td>{formatShare(of.pass_rate.mean)}</td>
          <IntervalCell value={of.pass_rate.mean} ci={of.pass_rate.ci} format={formatShare} />
          {passCounts(of, isRepeated).map((count, at) => (
            <td key={counted[at]}>{count}</td>
          ))}
        </tr>
      ))}
    </ScrolledTable>
  );
}

/** How the run did beside the run that its scorers compare it with, in words; nothing of other scorers. */
export function PreferenceWords({ statistics }: Pick<StatisticsProps, 'statistics'>) {
  return Object.entries(statistics.scorers).map(
    ([name, { preference }]) =>
      preference && (
        <p key={name}>
          <strong>{wordsOfScorer(name)}:</strong> {describePreference(preference)}
        </p>
      ),
  );
}

/** What stands below {@link REPEATED}, or {@link ONCE}. */
function passCounts(of: ScoreStatistics, isRepeated: boolean): string[] {
  if (!isRepeated) return [of.always_passed, of.never_passed, of.datapoints].map(formatCount);
  const counts = [of.always_passed, of.flaky_datapoints, of.never_passed, of.datapoints, of.samples];
  return [formatScore(of.within_sd), ...counts.map(formatCount)];
}

const PASS_COLUMNS = ['Score', 'k', 'pass@k: one of k passes', 'pass^k: all of k pass', 'Datapoints'];

const OPEN_ROWS = 12;

/** How often one of several tries passes, and how often all of them do; nothing where each datapoint is tried once. */
export function PassTable({ run, statistics }: StatisticsProps) {
  if (run.repeats === 1) return null;
  const rows = namedScores(statistics, run).flatMap(({ name, of }) => of.pass_k.map((pass) => ({ name, ...pass })));
  return (
    <details open={rows.length <= OPEN_ROWS} className={styles.folded}>
      <summary>Passes in several tries</summary>
      <ScrolledTable caption="Passes in several tries" isCaptionHidden columns={PASS_COLUMNS}>
        {rows.map((row) => (
          <tr key={`${row.name} ${row.k}`}>
            <th scope="row">{wordsOf(row.name)}</th>
            <td>{formatCount(row.k)}</td>
            <td>{withError(row.pass_at_k, row.pass_at_k_se)}</td>
            <td>{withError(row.pass_hat_k, row.pass_hat_k_se)}</td>
            <td>{formatCount(row.datapoints)}</td>
          </tr>
        ))}
      </ScrolledTable>
    </details>
  );
}

/** `66.7% ± 33.3%` */
const withError = (value: number | null, se: number | null): string =>
  value === null || se === null ? formatShare(value) : `${formatShare(value)} ± ${formatShare(se)}`;

type Comparison = NonNullable<EvalStatistics['comparison']>;

interface ComparisonTableProps {
  comparison: Comparison;
  run: EvalRunSummary;
  baseline: EvalRunSummary;
}

const COMPARISON_COLUMNS = ['Of', 'Difference', '95% interval', 'p', 'Better', 'Worse', 'Same', 'Verdict'];
const COMPARISON_STARTS = ['95% interval', 'Verdict'];

/** What changed from a baseline to a run, with a verdict in words: the scores, the latency and the cost. */
function ComparisonTable({ comparison, run, baseline }: ComparisonTableProps) {
  const caption = `${run.name} against ${baseline.name}`;
  return (
    <>
      <p dir="auto">
        <strong>{`${caption}: ${comparison.summary}`}</strong> {describePairs(comparison, run.name, baseline.name)}
      </p>
      <ScrolledTable caption={caption} isCaptionHidden columns={COMPARISON_COLUMNS} starts={COMPARISON_STARTS}>
        {namedScores(comparison, run, baseline).map(({ name, of }) => (
          <tr key={name}>
            <th scope="row">{wordsOf(name)}</th>
            <td title={String(of.diff ?? '')}>{formatDifference(of.diff, formatScore)}</td>
            <IntervalCell value={of.diff} ci={of.ci} scale={DIFFERENCES} />
            <td {...(of.test !== null && { title: TEST_WORDS[of.test] })}>{formatP(of.p_value)}</td>
            <td>{formatCount(of.better)}</td>
            <td>{formatCount(of.worse)}</td>
            <td>{formatCount(of.same)}</td>
            <td data-align="start" data-wraps>
              {of.verdict === 'no_difference' ? capitalized(describeVerdict(of)) : VERDICT_WORDS[of.verdict]}
            </td>
          </tr>
        ))}
        <AmountRow name="Latency" amount={comparison.latency_ms} format={formatDuration} />
        <AmountRow name="Cost" amount={comparison.cost} format={formatCost} />
      </ScrolledTable>
    </>
  );
}

const TEST_WORDS = {
  mcnemar_exact: 'Exact McNemar test',
  paired_t: 'Paired t test',
  sign_exact: 'Exact sign test',
} as const;

interface AmountRowProps {
  name: string;
  amount: { diff: number | null; ci: Bounds | null; p_value: number | null };
  format(value: number | null): string;
}

/** What is neither better nor worse by itself has no verdict. */
function AmountRow({ name, amount: { diff, ci, p_value: p }, format }: AmountRowProps) {
  const write = (value: number): string => formatDifference(value, format);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{formatDifference(diff, format)}</td>
      <IntervalCell value={diff} ci={ci} scale={scaleAround([diff, ci?.low, ci?.high])} format={write} />
      <td>{formatP(p)}</td>
      <td colSpan={4} />
    </tr>
  );
}

const GROUP_COLUMNS = ['n', 'Mean', '95% interval', 'Pass rate'];
const GROUP_COMPARED = ['Difference', 'Its 95% interval', 'p', "Holm's p", 'Verdict'];
const GROUP_STARTS = ['95% interval', 'Its 95% interval', 'Verdict'];

/** The numbers of each group of datapoints, beside the baseline where there is one; nothing where no groups were asked for. */
export function GroupTable({ statistics, run }: { statistics: EvalStatistics; run: string }) {
  const { group_by: by, groups, correction } = statistics;
  if (!by || !groups) return null;
  const shown = groups.map(shownGroup);
  return (
    <>
      <ScrolledTable
        caption={`${run} by ${by.join(', ')}`}
        columns={[...by, ...GROUP_COLUMNS, ...(correction ? GROUP_COMPARED : [])]}
        starts={GROUP_STARTS}
      >
        {shown.map(({ group, of, compared: comparison }) => (
          <tr key={JSON.stringify(group)}>
            {by.map((key) => (
              <th key={key} scope="row" dir="auto">
                {formatMetadataValue(group[key])}
              </th>
            ))}
            <td>{formatCount(of.datapoints)}</td>
            <td title={String(of.mean ?? '')}>{formatScore(of.mean)}</td>
            <IntervalCell value={of.mean} ci={of.ci} />
            <td>{formatShare(of.pass_rate.mean)}</td>
            {comparison && (
              <>
                <td title={String(comparison.diff ?? '')}>{formatDifference(comparison.diff)}</td>
                <IntervalCell value={comparison.diff} ci={comparison.ci} scale={DIFFERENCES} />
                <td>{formatP(comparison.p_value)}</td>
                <td>{formatP(comparison.p_holm)}</td>
                <td data-align="start">{VERDICT_WORDS[comparison.verdict]}</td>
              </>
            )}
          </tr>
        ))}
      </ScrolledTable>
      {correction && <p>{describeCorrection(shown)}</p>}
    </>
  );
}

interface RunComparisonProps extends Omit<ComparisonTableProps, 'comparison'> {
  division: Division;
}

/** A run beside its baseline, by the datapoints that both have: nothing before the run has a result. */
export function RunComparison({ run, baseline, division }: RunComparisonProps) {
  const query = useStatistics(run, baseline.id, division);
  const { data, error } = query;
  if (error) return <QueryFault title="The statistics could not be loaded" query={query} />;
  const comparison = data?.comparison;
  // What is shown while another baseline is awaited may be of the one before.
  if (comparison?.baseline_run_id !== baseline.id) return null;
  return (
    <>
      <ComparisonTable {...{ comparison, run, baseline }} />
      <GroupTable statistics={data!} run={run.name} />
    </>
  );
}

/** Statistics of a run that goes on are asked for this far apart: the server looks at all of its samples. */
const BETWEEN_MS = 10_000;

/** What the scores of a run come to. @param baseline the run that it is compared with; left out for none. */
export function useStatistics(run: EvalRunSummary, baseline?: string, division: Division = {}) {
  const { cluster_by } = division;
  const groupBy = groupKeys(division);
  const isLive = goesOn(run);
  return useQuery<EvalStatistics>({
    queryKey: keys.statistics(run.id, baseline ?? null, isLive, groupBy, cluster_by),
    queryFn: ({ signal }) => {
      const query = { baseline, cluster_by, ...(groupBy.length > 0 && { group_by: groupBy }) };
      return api.getEvalStatistics({ path: { id: run.id }, query, signal });
    },
    enabled: run.sample_progress > 0,
    refetchInterval: isLive && BETWEEN_MS,
    // What was known of this run stays on screen while it is asked for again.
    placeholderData: (before) => (before?.run_id === run.id ? before : undefined),
  });
}

interface DivisionFieldsProps {
  runId: string;
  division: Division;
  /** @param key `''` for none. */
  onChange(member: keyof Division, key: string): void;
}

/** What the statistics of a run can be divided by; nothing where its datapoints have no metadata. */
export function DivisionFields({ runId, division, onChange }: DivisionFieldsProps) {
  const { data } = useQuery({
    queryKey: keys.runMetadata(runId),
    queryFn: ({ signal }) => api.getEvalMetadata({ path: { id: runId }, signal }),
    // A run keeps to the datapoints that it began with.
    staleTime: Infinity,
    enabled: useLater(),
  });
  const known = data?.keys ?? [];
  if (known.length === 0) return null;
  const field = (member: keyof Division, label: string, none: string, offered: readonly { key: string }[]) => (
    <SelectField
      label={label}
      value={division[member] ?? ''}
      options={[{ value: '', label: none }, ...offered.map(({ key }) => ({ value: key, label: key }))]}
      onChange={({ currentTarget }) => onChange(member, currentTarget.value)}
    />
  );
  const dividing = known.filter(({ has_more: hasMore }) => !hasMore);
  const further = dividing.filter(({ key }) => key !== division.group_by);
  return (
    <>
      {field('group_by', 'Group by', 'No groups', dividing)}
      {division.group_by !== undefined &&
        further.length > 0 &&
        field('then_by', 'Then by', 'No further groups', further)}
      {field('cluster_by', 'Cluster by', 'No clusters', known)}
    </>
  );
}
