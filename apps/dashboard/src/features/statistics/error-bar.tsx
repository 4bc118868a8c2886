import { formatInterval, formatScore, describeInterval, type Bounds } from '@spandrel/contract/browser';
import { placeOn, SCORES, type Scale } from './scores.js';
import styles from './error-bar.module.css';

interface ErrorBarProps {
  value: number;
  /** `null` where there is no interval: the value stands alone. */
  ci: { low: number; high: number } | null;
  scale?: Scale;
}

const MIDDLE = 6;
const HEIGHT = 12;

/** A value with its interval on a scale. It is a picture of numbers that stand beside it, which is what screen readers read. */
function ErrorBar({ value, ci, scale = SCORES }: ErrorBarProps) {
  const at = (amount: number): number => placeOn(scale, amount);
  const zero = scale.low < 0 ? at(0) : null;
  return (
    <svg className={styles.bar} viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <Line className={styles.axis} from={0} to={100} />
      {zero !== null && <Line className={styles.axis} from={zero} to={zero} reach={MIDDLE} />}
      {ci !== null && (
        <>
          <Line className={styles.interval} from={at(ci.low)} to={at(ci.high)} />
          <Line className={styles.interval} from={at(ci.low)} to={at(ci.low)} reach={3} />
          <Line className={styles.interval} from={at(ci.high)} to={at(ci.high)} reach={3} />
        </>
      )}
      <Line className={styles.value} from={at(value)} to={at(value)} reach={5} />
    </svg>
  );
}

interface LineProps {
  className: string | undefined;
  from: number;
  to: number;
  /** How far it goes above and below the middle. */
  reach?: number;
}

function Line({ className, from, to, reach = 0 }: LineProps) {
  return <line className={className} x1={from} x2={to} y1={MIDDLE - reach} y2={MIDDLE + reach} />;
}

interface IntervalCellProps {
  value: number | null;
  ci: Bounds | null;
  scale?: Scale | null;
  format?: (value: number) => string;
}

/** A cell with an interval as words and as a bar; the value itself has a cell of its own. */
export function IntervalCell({ value, ci, scale, format }: IntervalCellProps) {
  return (
    <td data-align="start">
      <span className={styles.with}>
        {value !== null && ci !== null && scale !== null && (
          <ErrorBar value={value} ci={ci} {...(scale && { scale })} />
        )}
        <span>{formatInterval(ci, format)}</span>
      </span>
    </td>
  );
}

/** A mean score with its error bar from 0 to 1, as a row of a list has it; the interval is read out, and there on hover. */
export function ScoreWithBar({ mean: score, ci }: { mean: number | null; ci: Bounds | null }) {
  if (score === null) return <>{formatScore(score)}</>;
  return (
    <span className={styles.with} {...(ci !== null && { title: describeInterval(ci) })}>
      <span className={styles.number}>{formatScore(score)}</span>
      {ci !== null && <span className="visually-hidden">, {describeInterval(ci)}</span>}
      <ErrorBar value={score} ci={ci} />
    </span>
  );
}
