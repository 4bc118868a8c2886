import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Button, type ButtonProps } from '../../components/button.js';
import { CheckboxField } from '../../components/field.js';
import {
  COLUMN_WIDTH,
  listedColumns,
  moveColumn,
  toggleColumn,
  type ColumnChoice,
  type OfferedColumns,
} from './column-choice.js';
import styles from './columns-panel.module.css';

export interface ColumnsPanelProps {
  offered: OfferedColumns;
  chosen: ColumnChoice;
  /** Header of a column by its id. */
  nameOf(id: string): string;
  /** Pixels of a column. */
  widthOf(id: string): number;
  onChange(columns: ColumnChoice): void;
  onResize(id: string, width: number): void;
  onReset(): void;
}

/** The button `Columns`: which columns a list has, in which order, and how wide they are. */
export function ColumnsPanel({ offered, chosen, nameOf, widthOf, onChange, onResize, onReset }: ColumnsPanelProps) {
  return (
    <PopoverPanel label="Columns" icon="columns">
      {listedColumns(chosen, offered).map((id) => (
        <div key={id} className={styles.column}>
          <CheckboxField
            label={nameOf(id)}
            checked={chosen.includes(id)}
            onChange={() => onChange(toggleColumn(chosen, id))}
          />
          {chosen.includes(id) && (
            <span className={styles.move}>
              <input
                type="range"
                aria-label={`Width of ${nameOf(id)}`}
                className={styles.width}
                {...COLUMN_WIDTH}
                step={8}
                value={widthOf(id)}
                onChange={({ target }) => onResize(id, target.valueAsNumber)}
              />
              <Button
                variant="quiet"
                icon="arrowUp"
                iconOnly
                aria-disabled={chosen[0] === id}
                onClick={() => onChange(moveColumn(chosen, id, -1))}
              >
                Move {nameOf(id)} up
              </Button>
              <Button
                variant="quiet"
                icon="arrowDown"
                iconOnly
                aria-disabled={chosen.at(-1) === id}
                onClick={() => onChange(moveColumn(chosen, id, 1))}
              >
                Move {nameOf(id)} down
              </Button>
            </span>
          )}
        </div>
      ))}
      <Button onClick={onReset}>Reset columns</Button>
    </PopoverPanel>
  );
}

interface PopoverPanelProps extends Pick<ButtonProps, 'icon' | 'variant'> {
  label: string;
  children: ReactNode;
}

/** A button and the group of controls that it opens below itself. Escape and a press elsewhere close it. */
function PopoverPanel({ label, children, ...button }: PopoverPanelProps) {
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
        {...button}
        ref={opener}
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': id })}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
      </Button>
      {isOpen && (
        <div id={id} role="group" aria-label={label} className={styles.panel}>
          {children}
        </div>
      )}
    </div>
  );
}
