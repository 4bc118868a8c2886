import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import styles from './settings-page.module.css';

interface TypedConfirmationProps {
  title: string;
  /** What to type, as the label of the field. */
  label: string;
  /** Whether what was typed means it. @param typed without blanks around it. */
  isMeant(typed: string): boolean;
  isPending: boolean;
  onConfirm(): void;
  onClose(): void;
  /** What is deleted. */
  children: ReactNode;
  /** What failed, below the field. */
  fault?: ReactNode;
}

/** Asks whether something is to be deleted for good, by somebody who typed that they mean it. */
export function TypedConfirmation(props: TypedConfirmationProps) {
  const { title, label, isPending, onConfirm, onClose, children, fault } = props;
  const formId = useId();
  const [typed, setTyped] = useState('');
  const isMeant = props.isMeant(typed.trim());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isMeant && !isPending) onConfirm();
  };
  return (
    <Dialog
      title={title}
      role="alertdialog"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" type="submit" form={formId} disabled={!isMeant || isPending}>
            Delete
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        {children}
        <TextField label={label} value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />
        {fault}
      </form>
    </Dialog>
  );
}
