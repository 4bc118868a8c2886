import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

export interface ConfirmDialogProps {
  /** `Delete 3 traces?` */
  title: string;
  /** The word on the button that does it. */
  action: string;
  /** Whether it is being done: the buttons wait. */
  isBusy?: boolean;
  onConfirm(): void;
  onClose(): void;
  /** What goes with it. */
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
