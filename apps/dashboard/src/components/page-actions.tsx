import { Button, useMayWrite, type ButtonProps } from './button.js';
import { useShortcuts } from './shortcuts/use-shortcuts.js';
import { lazyPart } from './lazy-part.js';

/** Something that can be done, by a button and by the command menu. */
export interface PageAction extends Pick<ButtonProps, 'icon' | 'variant' | 'writes' | 'disabled' | 'aria-pressed'> {
  /** What it does, in the command menu. */
  label: string;
  /** What its button says, where that is less. */
  short?: string;
  /** Keys that do it, as {@link useShortcuts} has them. */
  keys?: string;
  /** Whether it has no button of its own. */
  isHidden?: boolean;
  /** Whether it is in the menu `More` in place of having a button. */
  isRare?: boolean;
  run(): void;
}

interface PageActionsProps {
  /** The heading in the command menu. */
  group: string;
  actions: readonly PageAction[];
  /** Whether the buttons show their icons alone; always, or where the window is narrow. */
  icons?: 'always' | 'narrow';
}

const MoreMenu = lazyPart(async () => (await import('./more-menu.js')).MoreMenu);

/** The buttons of what can be done, which the command menu offers, too. */
export function PageActions({ group, actions, icons }: PageActionsProps) {
  const mayWrite = useMayWrite();
  useShortcuts(
    actions
      .filter(({ disabled }) => !disabled)
      .map(({ label, keys = '', writes = false, run }) => ({ label, keys, group, writes, run })),
  );
  const rare = actions
    .filter(({ isRare, writes }) => isRare && (mayWrite || !writes))
    .map(({ label, short = label, disabled, run }) => ({ label: short, disabled, run }));
  return (
    <>
      {actions.map(({ label, short, keys, isHidden, isRare, run, ...button }) =>
        isHidden || isRare ? null : (
          <Button
            key={label}
            {...button}
            {...(keys !== undefined && { shortcut: keys })}
            iconOnly={icons === 'always'}
            shrinks={icons === 'narrow'}
            onClick={run}
          >
            {short ?? label}
          </Button>
        ),
      )}
      {rare.length > 0 && <MoreMenu actions={rare} />}
    </>
  );
}
