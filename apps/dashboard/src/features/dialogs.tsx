import { useMutation } from '@tanstack/react-query';
import { useId, type FormEvent, type ReactNode } from 'react';
import { FieldFaults } from '../api/form-faults.js';
import { Button } from '../components/button.js';
import { ConfirmDialog, Dialog, type DialogProps } from '../components/dialog.js';
import { notify, notifyError } from '../components/notify.js';
import { FaultNotice } from '../components/page-parts.js';
import styles from './dialogs.module.css';

interface FormDialogProps<Answer> extends Pick<DialogProps, 'title' | 'onClose'> {
  size?: DialogProps['size'];
  action: string;
  failed: string;
  /** Sends the form. @param form its fields by their names. @param pressed the button that was pressed. */
  send(form: FormData, pressed: HTMLElement | null): Promise<Answer>;
  onSent?(answer: Answer): void;
  /** Whether what it does cannot be undone. */
  isDangerous?: boolean;
  /** Whether what is filled in can be sent; the fields themselves say what they require. */
  canSend?: boolean;
  /** Paths of the members of the request that have a field which says what is wrong with them. */
  paths?: readonly string[];
  /** A button beside that of `action`, which sends the form, too. */
  otherAction?: (formId: string, isBusy: boolean) => ReactNode;
  below?: ReactNode;
  className?: string | undefined;
  children: ReactNode | ((faults: FieldFaults) => ReactNode);
}

/** A form in a dialog: it sends what is filled in, and says what the service found wrong at its fields or below them. */
export function FormDialog<Answer>(props: FormDialogProps<Answer>) {
  const {
    action,
    failed,
    send,
    onSent,
    canSend = true,
    isDangerous = false,
    paths = [],
    otherAction,
    below,
    className,
    children,
  } = props;
  const formId = useId();
  const sending = useMutation({
    mutationFn: ([form, pressed]: [FormData, HTMLElement | null]) => send(form, pressed),
    onSuccess: (answer) => onSent?.(answer),
  });
  const isDisabled = !canSend || sending.isPending;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!isDisabled) sending.mutate([new FormData(event.currentTarget), submitter]);
  };
  const faults = new FieldFaults(sending.error);
  return (
    <Dialog
      title={props.title}
      {...(props.size && { size: props.size })}
      {...(isDangerous && { role: 'alertdialog' })}
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          {otherAction?.(formId, isDisabled)}
          <Button variant={isDangerous ? 'danger' : 'primary'} type="submit" form={formId} disabled={isDisabled}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} className={className ?? styles.form} onSubmit={submit}>
        {typeof children === 'function' ? children(faults) : children}
        {sending.error && !faults.areAllAt(paths) && <FaultNotice title={failed} error={sending.error} />}
      </form>
      {below}
    </Dialog>
  );
}

interface ConfirmActionProps<Answer> {
  title: string;
  action: string;
  act(): Promise<Answer>;
  onDone(answer: Answer): void;
  done: string | ((answer: Answer) => string);
  failed: string;
  onClose(): void;
  children: ReactNode;
}

/** Asks before something that cannot be undone, does it, and says what came of it. */
export function ConfirmAction<Answer>(props: ConfirmActionProps<Answer>) {
  const { title, action, act, onDone, done, failed, onClose, children } = props;
  const acting = useMutation({
    mutationFn: act,
    onSuccess: (answer) => {
      notify(typeof done === 'string' ? done : done(answer));
      onDone(answer);
    },
    onError: (error) => notifyError(failed, error),
    onSettled: onClose,
  });
  return (
    <ConfirmDialog {...{ title, action, onClose }} isBusy={acting.isPending} onConfirm={() => acting.mutate()}>
      {children}
    </ConfirmDialog>
  );
}

/** The text of a field of a form. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** The dialog that a table has open: for a new row, or for one of its rows by the word of the button that opens it. */
export type OpenedDialog<Row, Word extends string = 'Edit' | 'Delete'> =
  | typeof NEW_ROW
  | { word: Word; row: Row }
  | null;

export const NEW_ROW = { word: 'New', row: null } as const;
