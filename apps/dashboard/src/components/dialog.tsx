import { useId, useLayoutEffect, useRef, type ReactNode, type SyntheticEvent } from 'react';
import { Button } from './button.js';
import styles from './dialog.module.css';

export interface DialogProps {
  title: string;
  onClose(): void;
  role?: 'dialog' | 'alertdialog';
  actions?: ReactNode;
  size?: 'small' | 'medium' | 'large';
  children: ReactNode;
}

const FIRST_FIELD = '[data-first], :is(input, select, textarea):not(:disabled)';

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus inside and gives it back afterwards; the
 * first field in it, or what has `data-first`, has it first.
 */
export function Dialog({ title, onClose, role = 'dialog', actions, size = 'medium', children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    // What React focuses as it is mounted is not shown yet, and the browser would choose the button that closes.
    dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => dialog.close();
  }, []);
  // A field for files inside is cancelled as well, when nothing is chosen for it.
  const closeOfItself = (event: SyntheticEvent): void => {
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    onClose();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a press beside it is one on its backdrop
    <dialog
      ref={ref}
      role={role}
      className={styles.dialog}
      data-size={size}
      onCancel={closeOfItself}
      onMouseDown={closeOfItself}
      aria-labelledby={`${id}-title`}
      {...(role === 'alertdialog' && { 'aria-describedby': `${id}-body` })}
    >
      <div className={styles.head}>
        <h2 id={`${id}-title`}>{title}</h2>
        <Button variant="quiet" icon="close" iconOnly onClick={onClose}>
          Close
        </Button>
      </div>
      <div id={`${id}-body`} className={styles.body}>
        {children}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  action: string;
  isBusy?: boolean;
  onConfirm(): void;
  onClose(): void;
  children: ReactNode;
}

/** Asks before something that cannot be undone. `Cancel` has the focus first. */
export function ConfirmDialog({ title, action, isBusy = false, onConfirm, onClose, children }: ConfirmDialogProps) {
  return (
    <Dialog
      title={title}
      role="alertdialog"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button data-first onClick={onClose}>
            Cancel
          </Button>
          <Button variant="danger" disabled={isBusy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
