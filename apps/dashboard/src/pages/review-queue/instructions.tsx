import { useState } from 'react';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import styles from './review-queue-page.module.css';

/** What the dataset says of itself, for who reviews it. */
export function Instructions({ text }: { text: string }) {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts([{ keys: 'i', label: 'Instructions', group: 'Review', run: () => setIsOpen(!isOpen) }]);
  return (
    <details open={isOpen} className={styles.instructions} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
      <summary aria-keyshortcuts="i">
        Instructions <kbd aria-hidden="true">i</kbd>
      </summary>
      <p dir="auto">{text}</p>
    </details>
  );
}
