import { CSPProvider } from '@base-ui/react/csp-provider';
import { Menu } from '@base-ui/react/menu';
import type { ReactNode, Ref, RefObject } from 'react';
import { Button } from './button.js';
import type { IconName } from './icon.js';
import styles from './button-menu.module.css';

export interface ButtonMenuProps {
  label: string;
  icon?: IconName;
  /** Shows the icon alone; `label` stays the name. */
  iconOnly?: boolean;
  ref?: Ref<HTMLButtonElement>;
  /** Edge of the button with which the menu is in line. */
  align?: 'start' | 'end';
  /** The landmark in which the menu is opened; the page's main part where none is given. */
  container?: RefObject<HTMLElement | null>;
  defaultOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  children: ReactNode;
}

/** A button that opens a menu. */
export function ButtonMenu({
  label,
  icon,
  iconOnly = false,
  ref,
  align = 'start',
  container,
  children,
  ...root
}: ButtonMenuProps) {
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root {...root}>
        <Menu.Trigger
          ref={ref}
          render={<Button {...(icon && { icon, iconOnly })} {...(iconOnly && { variant: 'quiet' })} />}
        >
          {label}
        </Menu.Trigger>
        <Menu.Portal container={container ?? document.querySelector('main')}>
          <Menu.Positioner sideOffset={4} align={align} className={styles.positioner}>
            <Menu.Popup className={styles.popup} aria-label={label}>
              {children}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </CSPProvider>
  );
}

/** An entry that does something once the button of the menu has the focus, so that a dialog gives it back there. */
export function ButtonMenuItem({ onClick, ...rest }: { disabled?: boolean; onClick(): void; children: ReactNode }) {
  const choose = ({ currentTarget }: { currentTarget: Element }): void => {
    const menu = currentTarget.closest('[role=menu]');
    const button = document.querySelector<HTMLElement>(`[aria-controls="${menu?.id}"]`);
    // The menu gives the focus to its entry behind this.
    setTimeout(() => {
      button?.focus();
      onClick();
    });
  };
  return <Menu.Item className={styles.item} {...rest} onClick={choose} />;
}

/** An entry that leads to another document, or to a file that is saved. */
export function ButtonMenuLink(props: { href: string; download?: string; children: ReactNode }) {
  return <Menu.LinkItem className={styles.item} closeOnClick {...props} />;
}
