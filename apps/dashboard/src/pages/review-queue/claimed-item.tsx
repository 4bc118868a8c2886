import type { QueueItemResource } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { CheckboxField } from '../../components/field.js';
import { useMayWrite } from '../../components/may-write.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useWayUp } from '../../features/list-memory.js';
import { reviewAddress } from '../../features/review-link.js';
import { Answers } from './answers.js';
import { useDraft } from './draft.js';
import { isKind, withExpected, writeData } from './edited-data.js';
import { EditedData } from './edited-data-field.js';
import { ItemView } from './item-view.js';
import type { ReviewDesk } from './review-desk.js';
import type { ReviewMemory } from './review-memory.js';
import styles from './review-queue-page.module.css';

export interface ClaimedItemProps {
  desk: ReviewDesk;
  memory: ReviewMemory;
  item: QueueItemResource;
  isBusy: boolean;
}

/** Whether edits are written back stays as it was chosen last. */
let isWrittenBackLast = false;

/** The item that this reviewer has, and what can be done with it. */
export function ClaimedItem({ desk, memory, item, isBusy }: ClaimedItemProps) {
  const region = useRef<HTMLElement>(null);
  const draft = useDraft(item);
  const mayWrite = useMayWrite();
  const [isWrittenBack, setIsWrittenBack] = useState(mayWrite && isWrittenBackLast);
  const navigate = useNavigate();
  useWayUp(() => '/review', 'Review');
  const focus = (): void => region.current?.focus({ preventScroll: true });
  useEffect(focus, []);
  const writeBack = (chosen: boolean): void => {
    isWrittenBackLast = chosen;
    setIsWrittenBack(chosen);
  };
  const submit = (): void => {
    if (draft.read !== null && 'data' in draft.read) desk.submit({ edited: { data: draft.read.data }, isWrittenBack });
  };
  const toggleEdit = (): void => {
    draft.setIsOpen(!draft.isOpen);
    if (draft.isOpen) focus();
  };
  const read = draft.read ?? { data: item.original_data };
  const data = 'data' in read ? read.data : null;
  const takeAnswer = isKind(data)
    ? (output: string): void => {
        draft.setText(writeData(withExpected(data, output)));
        draft.setIsOpen(true);
      }
    : null;
  const lastId = memory.submitted.at(-1);
  const actions: Action[] = [
    {
      ...{ name: 'Approve', keys: 'a', isPrimary: !draft.isChanged, isOff: draft.isChanged || draft.isOpen },
      run: () => desk.submit({ isWrittenBack: false }),
    },
    { name: 'Edit', keys: 'e', isPressed: draft.isOpen, run: toggleEdit },
    {
      ...{ name: 'Submit', keys: 'mod+enter', isPrimary: draft.isChanged, run: submit },
      isOff: draft.read === null || 'fault' in draft.read,
    },
    { name: 'Skip', keys: 's', run: () => desk.skip() },
    { name: 'Release', keys: 'r', run: () => desk.release() },
    {
      ...{ name: 'Back to last', keys: 'u', isOff: lastId === undefined },
      run: () => void navigate({ to: reviewAddress(item.dataset_id), search: { item: lastId } as never }),
    },
  ];
  return (
    <>
      <div className={styles.desk} data-edits={draft.isOpen || draft.isChanged || undefined}>
        <div className={styles.reading}>
          <section ref={region} aria-label="Item" aria-busy={isBusy} tabIndex={-1} className={styles.item}>
            <h2 className="visually-hidden">Item</h2>
            <ItemView data={item.original_data} />
          </section>
          <Answers datasetId={item.dataset_id} datapointId={item.datapoint_id} onUse={takeAnswer} />
        </div>
        <EditedData draft={draft} isWrittenBack={isWrittenBack} onLeave={focus} />
      </div>
      <ReviewActions actions={actions}>
        {mayWrite && <WriteBack isOn={isWrittenBack} onChange={writeBack} />}
      </ReviewActions>
    </>
  );
}

function WriteBack({ isOn, onChange }: { isOn: boolean; onChange(isOn: boolean): void }) {
  useShortcuts([{ keys: 'w', label: 'Write back to the datapoint', group: 'Review', run: () => onChange(!isOn) }]);
  return (
    <CheckboxField
      label={
        <>
          Write back to the datapoint <kbd aria-hidden="true">w</kbd>
        </>
      }
      aria-keyshortcuts="w"
      checked={isOn}
      onChange={({ currentTarget: { checked } }) => onChange(checked)}
    />
  );
}

/** Something that can be done with the item. */
interface Action {
  name: string;
  /** Keys in the form of shortcuts: `a`, `mod+enter`. */
  keys: string;
  isPrimary?: boolean;
  isOff?: boolean;
  isPressed?: boolean;
  run(): void;
}

/** The buttons below an item, each with its key. */
function ReviewActions({ actions, children }: { actions: readonly Action[]; children: ReactNode }) {
  useShortcuts(
    actions.map(({ name, keys, isOff = false, run }) => ({
      ...{ keys, label: name, group: 'Review' },
      run: () => {
        if (!isOff) run();
      },
    })),
  );
  return (
    <div role="toolbar" aria-label="Review" className={styles.actions}>
      {actions.map(({ name, keys, isPrimary = false, isOff = false, isPressed, run }) => (
        <Button
          key={name}
          variant={isPrimary ? 'primary' : 'plain'}
          shortcut={keys === 'mod+enter' ? 'Ctrl Enter' : keys}
          {...(keys === 'mod+enter' && { 'aria-keyshortcuts': 'Control+Enter Meta+Enter' })}
          {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
          disabled={isOff}
          onClick={run}
        >
          {name}
        </Button>
      ))}
      {children}
    </div>
  );
}
