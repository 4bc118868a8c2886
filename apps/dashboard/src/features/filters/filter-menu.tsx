import { CSPProvider } from '@base-ui/react/csp-provider';
import { Menu } from '@base-ui/react/menu';
import { useLayoutEffect, useRef } from 'react';
import { Button } from '../../components/button.js';
import type { FilterField } from './filter-field.js';
import styles from './filter-menu.module.css';

export interface FilterMenuProps {
  fields: readonly FilterField[];
  onChoose(field: FilterField): void;
  /** Whether the button takes the focus, which the one before it had. */
  hasFocus: boolean;
  /** Whether the menu is open at first, because the button was pressed before this was loaded. */
  isOpen: boolean;
}

/** The menu of filters. It is opened within the page's main part. */
export function FilterMenu({ fields, onChoose, hasFocus, isOpen }: FilterMenuProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (hasFocus) trigger.current?.focus();
  }, [hasFocus]);
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root defaultOpen={isOpen}>
        <Menu.Trigger ref={trigger} render={<Button icon="plus" />}>
          Add filter
        </Menu.Trigger>
        <Menu.Portal container={document.querySelector('main')}>
          <Menu.Positioner sideOffset={4} align="start" className={styles.positioner}>
            <Menu.Popup className={styles.popup} aria-label="Add filter">
              {fields.map((field) => (
                <Menu.Item key={field.id} className={styles.item} onClick={() => onChoose(field)}>
                  {field.label}
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </CSPProvider>
  );
}
