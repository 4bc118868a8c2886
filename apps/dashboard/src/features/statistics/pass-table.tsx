import type { EvalStatistics } from '@spandrel/contract';
import { formatCount, formatScore } from '@spandrel/contract/browser';
import { namedScores } from './named-scores.js';
import { ScrolledTable } from './scrolled-table.js';
import styles from './table.module.css';

const COLUMNS = ['Score', 'k', 'pass@k: one of k passes', 'pass^k: all of k pass', 'Datapoints'];

/** A table with more rows is folded. */
const OPEN_ROWS = 12;

/** How often one of several tries passes, and how often all of them do; nothing where each datapoint is tried once. */
export function PassTable({ statistics: { repeats, score, scorers } }: { statistics: EvalStatistics }) {
  if (repeats === 1) return null;
  const rows = namedScores(score, scorers).flatMap(({ name, of }) => of.pass_k.map((pass) => ({ name, ...pass })));
  return (
    <details open={rows.length <= OPEN_ROWS} className={styles.folded}>
      <summary>Passes in several tries</summary>
      <ScrolledTable caption="Passes in several tries" isCaptionHidden columns={COLUMNS}>
        {rows.map((row) => (
          <tr key={`${row.name} ${row.k}`}>
            <th scope="row">{row.name}</th>
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

/** `0.667 ± 0.333` */
const withError = (value: number | null, se: number | null): string =>
  value === null || se === null ? formatScore(value) : `${formatScore(value)} ± ${formatScore(se)}`;
