import type { EvalStatistics } from '@spandrel/contract';
import {
  describePairs,
  describeVerdict,
  formatCount,
  formatDifference,
  formatP,
  formatScore,
  type Bounds,
} from '@spandrel/contract/browser';
import { formatCost } from '../../components/format/format-cost.js';
import { formatDuration } from '../../components/format/format-duration.js';
import { DIFFERENCES, scaleAround } from './bar-scale.js';
import { IntervalCell } from './interval-cell.js';
import { namedScores } from './named-scores.js';
import { ScrolledTable } from './scrolled-table.js';
import { VERDICT_WORDS } from './verdict-words.js';

type Comparison = NonNullable<EvalStatistics['comparison']>;

interface ComparisonTableProps {
  comparison: Comparison;
  /** Names of the run and of what it is compared with. */
  run: string;
  baseline: string;
}

const COLUMNS = ['Of', 'Difference', '95% interval', 'p', 'Better', 'Worse', 'Same', 'Verdict'];
const STARTS = ['95% interval', 'Verdict'];

/** What changed from a baseline to a run, with a verdict in words: the scores, the latency and the cost. */
export function ComparisonTable({ comparison, run, baseline }: ComparisonTableProps) {
  const caption = `${run} against ${baseline}`;
  return (
    <>
      <p dir="auto">
        <strong>{`${caption}: ${describeVerdict(comparison.score)}.`}</strong>{' '}
        {describePairs(comparison, run, baseline)}
      </p>
      <ScrolledTable caption={caption} isCaptionHidden columns={COLUMNS} starts={STARTS}>
        {namedScores(comparison.score, comparison.scorers).map(({ name, of }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
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

const TEST_WORDS = { mcnemar_exact: 'Exact McNemar test', paired_t: 'Paired t test' } as const;

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

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
