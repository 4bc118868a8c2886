import { Button } from '../../components/button.js';
import { CheckboxField } from '../../components/field.js';
import { COLUMN_WIDTH, listedColumns, moveColumn, toggleColumn, type ColumnsPanelProps } from './column-choice.js';
import styles from './columns-panel.module.css';

/** Which columns a list has, in which order, and how wide they are. */
export function ColumnFields({ offered, chosen, nameOf, widthOf, onChange, onResize, onReset }: ColumnsPanelProps) {
  return (
    <>
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
    </>
  );
}
