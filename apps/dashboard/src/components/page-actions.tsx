import { Button, type ButtonProps } from './button.js';
import { useShortcuts } from './shortcuts/use-shortcuts.js';

/** Something that can be done, by a button and by the command menu. */
export interface PageAction extends Pick<ButtonProps, 'icon' | 'variant' | 'writes' | 'disabled'> {
  /** What it does, in the command menu. */
  label: string;
  /** What its button says, where that is less. */
  short?: string;
  /** Keys that do it, as {@link useShortcuts} has them. */
  keys?: string;
  /** Whether it has no button of its own. */
  isHidden?: boolean;
  run(): void;
}

/** The buttons of what can be done, which the command menu offers, too. @param group the heading there. */
export function PageActions({ group, actions }: { group: string; actions: readonly PageAction[] }) {
  useShortcuts(
    actions
      .filter(({ disabled }) => !disabled)
      .map(({ label, keys = '', writes = false, run }) => ({ label, keys, group, writes, run })),
  );
  return actions.map(({ label, short, keys, isHidden, run, ...button }) =>
    isHidden ? null : (
      <Button key={label} {...button} {...(keys !== undefined && { shortcut: keys })} onClick={run}>
        {short ?? label}
      </Button>
    ),
  );
}
