import { useLayoutEffect, useRef } from 'react';
import { ButtonMenu, ButtonMenuItem } from '../../components/button-menu.js';
import type { FilterField } from './filter-field.js';

interface FilterMenuProps {
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
    <ButtonMenu label="Add filter" icon="plus" ref={trigger} defaultOpen={isOpen}>
      {fields.map((field) => (
        <ButtonMenuItem key={field.id} onClick={() => onChoose(field)}>
          {field.label}
        </ButtonMenuItem>
      ))}
    </ButtonMenu>
  );
}
