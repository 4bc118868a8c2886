import { Button } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import type { FilterChip } from './filter-chip.js';
import styles from './filters.module.css';

export interface FilterChipsProps<Search> {
  chips: readonly FilterChip<Search>[];
  onRemove(chip: FilterChip<Search>): void;
  onClear(): void;
}

/** The filters that are on, each a button that takes it away. */
export function FilterChips<Search>({ chips, onRemove, onClear }: FilterChipsProps<Search>) {
  if (chips.length === 0) return null;
  return (
    <div className={styles.chips}>
      {chips.map((chip) => (
        <button key={`${chip.name} ${chip.value}`} type="button" className={styles.chip} onClick={() => onRemove(chip)}>
          <span className="visually-hidden">Remove filter: </span>
          <span className={styles.name}>{chip.name} </span>
          <span className={styles.value}>{chip.value}</span>
          <Icon name="close" size={12} />
        </button>
      ))}
      <Button variant="quiet" onClick={onClear}>
        Clear filters
      </Button>
    </div>
  );
}
