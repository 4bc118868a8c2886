import type { EvalStatistics, ScoreStatistics } from '@spandrel/contract';
import { formatCount, formatScore } from '@spandrel/contract/browser';
import { IntervalCell } from './interval-cell.js';
import { namedScores } from './named-scores.js';
import { ScrolledTable } from './scrolled-table.js';

const SCORE = ['Score', 'Mean', '95% interval', 'Standard error', 'Pass rate', 'Pass rate, 95%'];
const REPEATED = ['Spread of tries', 'Always passed', 'Flaky', 'Never passed', 'Datapoints', 'Samples'];
const ONCE = ['Passed', 'Not passed', 'Datapoints'];
const STARTS = ['95% interval', 'Pass rate, 95%'];

/** The scores of a run, all together and each scorer's: their means with intervals, and how many datapoints pass. */
export function ScoreTable({ statistics }: { statistics: EvalStatistics }) {
  const isRepeated = statistics.repeats > 1;
  return (
    <ScrolledTable
      caption="Scores of this run"
      isCaptionHidden
      columns={[...SCORE, ...(isRepeated ? REPEATED : ONCE)]}
      starts={STARTS}
    >
      {namedScores(statistics.score, statistics.scorers).map(({ name, of }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td title={String(of.mean ?? '')}>{formatScore(of.mean)}</td>
          <IntervalCell value={of.mean} ci={of.ci} />
          <td>{formatScore(of.se)}</td>
          <td>{formatScore(of.pass_rate.mean)}</td>
          <IntervalCell value={of.pass_rate.mean} ci={of.pass_rate.ci} />
          <Passes of={of} isRepeated={isRepeated} />
        </tr>
      ))}
    </ScrolledTable>
  );
}

function Passes({ of, isRepeated }: { of: ScoreStatistics; isRepeated: boolean }) {
  if (!isRepeated) {
    return (
      <>
        <td>{formatCount(of.always_passed)}</td>
        <td>{formatCount(of.never_passed)}</td>
        <td>{formatCount(of.datapoints)}</td>
      </>
    );
  }
  return (
    <>
      <td>{formatScore(of.within_sd)}</td>
      <td>{formatCount(of.always_passed)}</td>
      <td>{formatCount(of.flaky_datapoints)}</td>
      <td>{formatCount(of.never_passed)}</td>
      <td>{formatCount(of.datapoints)}</td>
      <td>{formatCount(of.samples)}</td>
    </>
  );
}
