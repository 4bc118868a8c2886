import { placeOn, SCORES, type Scale } from './bar-scale.js';
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
export function ErrorBar({ value, ci, scale = SCORES }: ErrorBarProps) {
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
