import { useId, type FormEvent, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import styles from './add-to-dataset.module.css';

export interface AddDialogProps {
  size: 'small' | 'large';
  /** Whether what is chosen can be added now. */
  canAdd: boolean;
  onAdd(): void;
  onClose(): void;
  /** The form. */
  children: ReactNode;
  /** What stands below the form. */
  below?: ReactNode;
}

/** The dialog that asks for a dataset. */
export function AddDialog({ size, canAdd, onAdd, onClose, children, below }: AddDialogProps) {
  const formId = useId();
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (canAdd) onAdd();
  };
  return (
    <Dialog
      title="Add to dataset"
      size={size}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={!canAdd}>
            Add
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={add}>
        {children}
      </form>
      {below}
    </Dialog>
  );
}
