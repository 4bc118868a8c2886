import { formatCount } from '@spandrel/contract/browser';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatDuration, formatDurationExactly } from '../../components/format/format-duration.js';
import type { Totals } from './sums.js';
import styles from './totals-list.module.css';

/** What all spans of the range come to. */
export function TotalsList({ totals }: { totals: Totals }) {
  const { spans, cost, unpriced, tokens, errors, finished, averageMs } = totals;
  const share = finished === 0 ? null : `${percent(errors / finished)} of finished spans`;
  return (
    <ul aria-label="Totals" className={styles.totals}>
      <Total
        name="Cost"
        value={formatCost(cost)}
        exact={formatCostExactly(cost)}
        note={unpriced > 0 ? `${formatCount(unpriced)} without a price` : null}
      />
      <Total name="Tokens" value={formatCount(tokens)} />
      <Total name="Spans" value={formatCount(spans)} />
      <Total name="Average latency" value={formatDuration(averageMs)} exact={formatDurationExactly(averageMs)} />
      <Total name="Errors" value={formatCount(errors)} note={errors > 0 ? share : null} />
    </ul>
  );
}

interface TotalProps {
  name: string;
  value: string;
  exact?: string;
  note?: string | null;
}

function Total({ name, value, exact, note }: TotalProps) {
  return (
    <li className={styles.total}>
      <span className={styles.name}>{name}</span>{' '}
      <span className={styles.value} {...(exact !== undefined && exact !== value && { title: exact })}>
        {value}
      </span>{' '}
      {note && <span className={styles.name}>{note}</span>}
    </li>
  );
}

/** `12.3%`; what is there is never rounded to 0%. */
function percent(share: number): string {
  const digits = share < 0.001 ? 3 : 1;
  return `${(share * 100).toFixed(digits)}%`;
}
