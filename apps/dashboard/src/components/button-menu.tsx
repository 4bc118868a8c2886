import { CSPProvider } from '@base-ui/react/csp-provider';
import { Menu } from '@base-ui/react/menu';
import { createContext, useContext, useRef, type ReactNode, type Ref, type RefObject } from 'react';
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

/** What the entry that was chosen does. */
const Chosen = createContext<{ current: (() => void) | null }>({ current: null });

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
  const chosen = useRef<(() => void) | null>(null);
  const act = (): void => {
    const run = chosen.current;
    chosen.current = null;
    run?.();
  };
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root {...root} onOpenChangeComplete={act}>
        <Menu.Trigger
          ref={ref}
          render={<Button {...(icon && { icon, iconOnly })} {...(iconOnly && { variant: 'quiet' })} />}
        >
          {label}
        </Menu.Trigger>
        <Menu.Portal container={container ?? document.querySelector('main')}>
          <Menu.Positioner sideOffset={4} align={align} className={styles.positioner}>
            <Menu.Popup className={styles.popup} aria-label={label}>
              <Chosen value={chosen}>{children}</Chosen>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </CSPProvider>
  );
}

/** An entry that does something once the menu is closed and its button has the focus, so that a dialog gives it back there. */
export function ButtonMenuItem({ onClick, ...rest }: { disabled?: boolean; onClick(): void; children: ReactNode }) {
  const chosen = useContext(Chosen);
  const choose = ({ currentTarget }: { currentTarget: Element }): void => {
    const menu = currentTarget.closest('[role=menu]');
    const button = document.querySelector<HTMLElement>(`[aria-controls="${menu?.id}"]`);
    // A second press may come before the menu is gone.
    chosen.current ??= () => {
      button?.focus();
      onClick();
    };
  };
  return <Menu.Item className={styles.item} {...rest} onClick={choose} />;
}

/** An entry that leads to another document, or to a file that is saved. */
export function ButtonMenuLink(props: { href: string; download?: string; children: ReactNode }) {
  return <Menu.LinkItem className={styles.item} closeOnClick {...props} />;
}
