import { CSPProvider } from '@base-ui/react/csp-provider';
import { Menu } from '@base-ui/react/menu';
import { Button } from '../../components/button.js';
import type { OfferedFilter } from './offered-filter.js';
import styles from './filter-menu.module.css';

export interface FilterMenuProps {
  filters: readonly OfferedFilter[];
  onChoose(filter: OfferedFilter): void;
}

/** The menu of filters. It is opened within the page's main part. */
export function FilterMenu({ filters, onChoose }: FilterMenuProps) {
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root>
        <Menu.Trigger render={<Button icon="plus" />}>Add filter</Menu.Trigger>
        <Menu.Portal container={document.querySelector('main')}>
          <Menu.Positioner sideOffset={4} align="start" className={styles.positioner}>
            <Menu.Popup className={styles.popup} aria-label="Add filter">
              {filters.map((filter) => (
                <Menu.Item key={filter.id} className={styles.item} onClick={() => onChoose(filter)}>
                  {filter.label}
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </CSPProvider>
  );
}
