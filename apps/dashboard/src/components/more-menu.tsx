import { ButtonMenu, ButtonMenuItem } from './button-menu.js';

interface MoreAction {
  label: string;
  disabled?: boolean | undefined;
  run(): void;
}

/** What is done less often than what has a button. */
export function MoreMenu({ actions }: { actions: readonly MoreAction[] }) {
  return (
    <ButtonMenu label="More" icon="more" iconOnly align="end">
      {actions.map(({ label, disabled, run }) => (
        <ButtonMenuItem key={label} onClick={run} {...(disabled && { disabled })}>
          {label}
        </ButtonMenuItem>
      ))}
    </ButtonMenu>
  );
}
