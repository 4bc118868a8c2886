import { Button } from '../../components/button.js';
import type { TextFault } from './datapoint-text.js';
import styles from './datapoint-page.module.css';

export interface FaultListProps {
  id: string;
  faults: readonly TextFault[];
  onGo(line: number): void;
}

/** What is wrong with a text, each fault with the way to its line. */
export function FaultList({ id, faults, onGo }: FaultListProps) {
  return (
    <div id={id} role="status" aria-label="Faults">
      {faults.length > 0 && (
        <ul className={styles.faults}>
          {faults.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              {line === null ? message : `Line ${line}: ${message}`}
              {line !== null && <Button onClick={() => onGo(line)}>Go to line {line}</Button>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
