import { Button } from '../../components/button.js';
import { CheckboxField } from '../../components/field.js';
import { PopoverPanel } from '../../components/popover-panel.js';
import { listedColumns, moveColumn, toggleColumn, type ColumnChoice, type OfferedColumns } from './column-choice.js';
import styles from './columns-panel.module.css';

export interface ColumnsPanelProps {
  offered: OfferedColumns;
  chosen: ColumnChoice;
  /** Header of a column by its id. */
  nameOf(id: string): string;
  onChange(columns: ColumnChoice): void;
}

/** The button `Columns`: which columns a list has, and in which order. */
export function ColumnsPanel({ offered, chosen, nameOf, onChange }: ColumnsPanelProps) {
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
      <Button onClick={() => onChange(offered.usual)}>Reset columns</Button>
    </PopoverPanel>
  );
}
