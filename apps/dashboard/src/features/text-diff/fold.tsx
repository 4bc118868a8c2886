import { formatCounted } from '@spandrel/contract/browser';
import type { FoldedLines } from './fold-same.js';
import styles from './diff-view.module.css';

interface FoldProps {
  folded: FoldedLines;
  isOpen: boolean;
  onToggle(): void;
}

/** Lines in which nothing changed: a button that says how many, and the lines once it was pressed. */
export function Fold({ folded: { text, lines }, isOpen, onToggle }: FoldProps) {
  const what = formatCounted(lines, 'unchanged line');
  return (
    <>
      <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={onToggle}>
        {isOpen ? `Fold ${what}` : `… ${what}`}
      </button>
      {isOpen && text}
    </>
  );
}
