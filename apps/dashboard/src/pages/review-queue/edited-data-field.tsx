import { useEffect, useId, useRef, type KeyboardEvent } from 'react';
import { Button } from '../../components/button.js';
import { useSettled } from '../../components/use-settled.js';
import { DiffView } from '../../features/text-diff/diff-view.js';
import type { Draft } from './draft.js';
import { isKind } from './edited-data.js';
import styles from './review-queue-page.module.css';

export interface EditedDataProps {
  draft: Draft;
  isWrittenBack: boolean;
  /** The field was left by Escape. */
  onLeave(): void;
}

/** Milliseconds after which a pause in typing shows the changes. */
const PAUSE_MS = 150;

/** The item as JSON to be edited, and below it what the edit changes. */
export function EditedData({ draft, isWrittenBack, onLeave }: EditedDataProps) {
  const shown = useSettled(draft.text, PAUSE_MS);
  if (!draft.isOpen && !draft.isChanged) return null;
  return (
    <div className={styles.edit}>
      {draft.isOpen && <DataField {...{ draft, isWrittenBack, onLeave }} />}
      <section aria-label="Changes" className={styles.changes}>
        <h2>Changes</h2>
        {shown === draft.before ? (
          <p className={styles.quiet}>Nothing is changed yet.</p>
        ) : (
          <DiffView beforeName="Original" afterName="Edited" before={draft.before} after={shown} mode="words" />
        )}
        {draft.isChanged && <Button onClick={draft.discard}>Discard the edit</Button>}
      </section>
    </div>
  );
}

function DataField({ draft, isWrittenBack, onLeave }: EditedDataProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current!.focus();
    // Browsers put the cursor at the end, which scrolls the beginning out of sight.
    field.current!.setSelectionRange(0, 0);
    field.current!.scrollTop = 0;
  }, []);
  const { read } = draft;
  const fault = read !== null && 'fault' in read ? read.fault : null;
  const isNoKind = isWrittenBack && read !== null && 'data' in read && !isKind(read.data);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    draft.setIsOpen(false);
    onLeave();
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>Edited data</label>
      <textarea
        ref={field}
        id={id}
        className={styles.textarea}
        spellCheck={false}
        autoComplete="off"
        value={draft.text}
        aria-describedby={`${id}-said`}
        {...(fault !== null && { 'aria-invalid': true })}
        onChange={({ currentTarget: { value } }) => draft.setText(value)}
        onKeyDown={press}
      />
      <p id={`${id}-said`} role="status" className={styles.fault}>
        {fault ?? (isNoKind ? 'This is no datapoint: it can be submitted, and is not written back.' : '')}
      </p>
    </div>
  );
}
