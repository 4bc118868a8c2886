import type { EvalStatistics } from '@spandrel/contract';
import { formatCount } from '../../components/format/format-count.js';
import { formatScore } from '../runs/format-score.js';
import { namedScores } from './named-scores.js';
import { ScrolledTable } from './scrolled-table.js';

const COLUMNS = ['Score', 'k', 'pass@k: one of k passes', 'pass^k: all of k pass', 'Datapoints'];

/** How often one of several tries passes, and how often all of them do; nothing where each datapoint is tried once. */
export function PassTable({ statistics: { repeats, score, scorers } }: { statistics: EvalStatistics }) {
  if (repeats === 1) return null;
  return (
    <ScrolledTable caption="Passes in several tries" columns={COLUMNS}>
      {namedScores(score, scorers).flatMap(({ name, of }) =>
        of.pass_k.map((pass) => (
          <tr key={`${name} ${pass.k}`}>
            <th scope="row">{name}</th>
            <td>{formatCount(pass.k)}</td>
            <td>{withError(pass.pass_at_k, pass.pass_at_k_se)}</td>
            <td>{withError(pass.pass_hat_k, pass.pass_hat_k_se)}</td>
            <td>{formatCount(pass.datapoints)}</td>
          </tr>
        )),
      )}
    </ScrolledTable>
  );
}

/** `0.667 ± 0.333` */
const withError = (value: number | null, se: number | null): string =>
  value === null || se === null ? formatScore(value) : `${formatScore(value)} ± ${formatScore(se)}`;
