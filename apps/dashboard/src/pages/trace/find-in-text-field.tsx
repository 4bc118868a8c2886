import { formatCount } from '@spandrel/contract/browser';
import { TextField } from '../../components/field.js';
import styles from './span-details.module.css';

interface FindInTextProps {
  sought: string;
  /** Number of the match that is shown, from 0; -1 for none. */
  at: number;
  count: number;
  onChange(sought: string): void;
  onStep(direction: 1 | -1): void;
}

/** Finds in what is shown of a span: Enter goes to the next match, Shift+Enter back. */
export function FindInText({ sought, at, count, onChange, onStep }: FindInTextProps) {
  return (
    <div className={styles.find}>
      <TextField
        label="Find in text"
        isLabelHidden
        type="search"
        placeholder="Find in text"
        value={sought}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape' && sought !== '') onChange('');
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span role="status" aria-label="Found in text" className={styles.found}>
        {sought !== '' && (count === 0 ? 'None' : `${formatCount(at + 1)} of ${formatCount(count)}`)}
      </span>
    </div>
  );
}
