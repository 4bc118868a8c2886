import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import type { ColumnsPanelProps } from './column-choice.js';
import styles from './columns-panel.module.css';
import { lazyPart } from '../../components/lazy-part.js';

const ColumnFields = lazyPart(async () => (await import('./column-fields.js')).ColumnFields);

/** The button `Columns`, and the controls that it opens below itself. Escape and a press elsewhere close them. */
export function ColumnsPanel(props: ColumnsPanelProps) {
  const [isOpen, setIsOpen] = useState(false);
  const wrapper = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return undefined;
    const pressElsewhere = (event: PointerEvent): void => {
      if (!wrapper.current?.contains(event.target as Node)) setIsOpen(false);
    };
    document.addEventListener('pointerdown', pressElsewhere);
    return () => document.removeEventListener('pointerdown', pressElsewhere);
  }, [isOpen]);
  return (
    // The key is heard here wherever inside the focus is.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={wrapper}
      className={styles.wrapper}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.preventDefault();
        event.stopPropagation();
        setIsOpen(false);
        opener.current?.focus();
      }}
    >
      <Button
        icon="columns"
        ref={opener}
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': id })}
        onClick={() => setIsOpen(!isOpen)}
      >
        Columns
      </Button>
      {isOpen && (
        <div id={id} role="group" aria-label="Columns" className={styles.panel}>
          <ColumnFields {...props} />
        </div>
      )}
    </div>
  );
}
