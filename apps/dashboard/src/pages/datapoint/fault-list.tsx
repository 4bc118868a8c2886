import { Button } from '../../components/button.js';
import type { LineFault } from '../../components/json-editor/create-json-view.js';
import styles from './datapoint-page.module.css';

export interface FaultListProps {
  faults: readonly LineFault[];
  /** Leads to a line; left out where no lines are shown. */
  onGo?: (line: number) => void;
}

/** What is wrong with a text, each fault with the way to its line. */
export function FaultList({ faults, onGo }: FaultListProps) {
  return (
    <div role="status" aria-label="Faults">
      {faults.length > 0 && (
        <ul className={styles.faults}>
          {faults.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              {line === null ? message : `Line ${line}: ${message}`}
              {line !== null && onGo && <Button onClick={() => onGo(line)}>Go to line {line}</Button>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
