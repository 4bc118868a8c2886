import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { Button, type ButtonProps } from './button.js';
import type { Shortcut } from './shortcuts/shortcut-registry.js';
import { useShortcuts } from './shortcuts/use-shortcuts.js';

/**
 * A component whose code is fetched when it is first drawn.
 * @param fallback stands in its place until then; nothing unless given.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>, fallback?: ReactNode) {
  const Part = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return (props: Props) => (
    <Suspense fallback={fallback}>
      <Part {...props} />
    </Suspense>
  );
}

interface DialogButtonProps extends ButtonProps {
  /** Opens the dialog from the command menu, too, or by keys. */
  command?: Omit<Shortcut, 'run'> | undefined;
  dialog(close: () => void): ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ command, dialog, ...button }: DialogButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const open = (): void => setIsOpen(true);
  useShortcuts(command ? [{ ...command, run: open }] : []);
  return (
    <>
      <Button {...button} onClick={open} />
      {isOpen && dialog(() => setIsOpen(false))}
    </>
  );
}
