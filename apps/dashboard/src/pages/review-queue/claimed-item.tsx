import type { QueueItemResource } from '@spandrel/contract';
import { withExpected } from '@spandrel/contract/browser';
import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button, useMayWrite } from '../../components/button.js';
import { PageActions, type PageAction } from '../../components/page-actions.js';
import { CheckboxField, TextArea } from '../../components/field.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useWayUp } from '../../features/list/way-up.js';
import { reviewAddress } from '../../features/addresses.js';
import { useSettled } from '../../components/hooks.js';
import { TabList, tabId } from '../../components/tab-list.js';
import { DatapointForm, EXPECTED } from '../../features/datapoint/datapoint-form.js';
import { variantIn } from '../../features/datapoint/datapoint-text.js';
import { DiffView } from '../../features/text-diff/diff-view.js';
import { Answers } from './answers.js';
import { ReviewForm, ReviewTerms, useReviewAnswers } from './review-form.js';
import { useDraft, type ReviewSession, type Draft, type ReviewMemory } from './review-session.js';
import { isKind, writeData } from './item-content.js';
import { ItemView } from './item-view.js';
import { useItemContent } from './target-content.js';
import styles from './review-queue-page.module.css';

interface ClaimedItemProps {
  session: ReviewSession;
  memory: ReviewMemory;
  item: QueueItemResource;
  isBusy: boolean;
}

const WRITE_BACK = 'Write back to the datapoint';

/** Whether edits are written back stays as it was chosen last. */
let isWrittenBackLast = true;

/** The item that this reviewer has, and what can be done with it. */
export function ClaimedItem({ session, memory, item, isBusy }: ClaimedItemProps) {
  const region = useRef<HTMLElement>(null);
  const content = useItemContent(item);
  const draft = useDraft(item, content.content?.answer ?? '');
  const isDatapoint = item.original_data !== null;
  const answers = useReviewAnswers(item);
  const mayWrite = useMayWrite() && isDatapoint;
  const [isWrittenBack, setIsWrittenBack] = useState(mayWrite && isWrittenBackLast);
  const navigate = useNavigate();
  useWayUp('/review', 'Review');
  const focus = (): void => region.current?.focus({ preventScroll: true });
  useLayoutEffect(focus, []);
  const writeBack = (chosen: boolean): void => {
    isWrittenBackLast = chosen;
    setIsWrittenBack(chosen);
  };
  const submit = (isEdited: boolean, isSkipped = false): void => {
    const edited = isEdited ? draft.read : null;
    if (edited !== null && 'fault' in edited) return;
    const review = answers?.take(isSkipped);
    if (review === null) return;
    session.submit({
      ...(edited && { edited: { data: edited.data } }),
      ...(review && { review }),
      isWrittenBack: edited !== null && isWrittenBack,
    });
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
  const variantOf = (isPrimary: boolean) => (isPrimary ? 'primary' : 'plain');
  const actions: PageAction[] = [
    {
      ...{ label: 'Approve', keys: 'a', variant: variantOf(!draft.isChanged) },
      disabled: draft.isChanged || draft.isOpen,
      run: () => submit(false),
    },
    {
      ...{ label: 'Edit', keys: 'e', 'aria-pressed': draft.isOpen, disabled: content.content === null },
      run: toggleEdit,
    },
    {
      ...{ label: 'Submit', keys: 'mod+enter', variant: variantOf(draft.isChanged), run: () => submit(true) },
      disabled: draft.read === null ? answers === null : 'fault' in draft.read,
    },
    ...(answers === null ? [] : [{ label: 'No answer', keys: 'n', run: () => submit(false, true) }]),
    { label: 'Skip', keys: 's', run: () => session.skip() },
    { label: 'Release', keys: 'r', run: () => session.release() },
    {
      ...{ label: 'Back to last', keys: 'u', disabled: lastId === undefined },
      run: () => void navigate({ to: reviewAddress(item.dataset_id), search: { item: lastId } as never }),
    },
  ];
  const write = { keys: 'w', label: WRITE_BACK, group: 'Review', writes: true, run: () => writeBack(!isWrittenBack) };
  useShortcuts(mayWrite ? [write] : []);
  const given = <Answers datasetId={item.dataset_id} datapointId={item.datapoint_id} onUse={takeAnswer} />;
  return (
    <>
      <div className={styles.session} data-edits={draft.isOpen || draft.isChanged || undefined}>
        <div className={styles.reading}>
          <section ref={region} aria-label="Item" aria-busy={isBusy} tabIndex={-1} className={styles.item}>
            <h2 className="visually-hidden">Item</h2>
            {answers === null && <ReviewTerms item={item} />}
            <ItemView item={item} {...content} />
          </section>
          {answers === null ? (
            given
          ) : (
            <div className={styles.aside}>
              <ReviewForm {...{ item, answers }} onLeave={focus} />
              {given}
            </div>
          )}
        </div>
        <EditedData draft={draft} isWrittenBack={isWrittenBack} onLeave={focus} />
      </div>
      <div role="toolbar" aria-label="Review" className={styles.actions}>
        <PageActions group="Review" actions={actions} />
        {mayWrite && (
          <CheckboxField
            label={
              <>
                {WRITE_BACK} <kbd aria-hidden="true">w</kbd>
              </>
            }
            aria-keyshortcuts="w"
            checked={isWrittenBack}
            onChange={({ currentTarget: { checked } }) => writeBack(checked)}
          />
        )}
      </div>
    </>
  );
}

interface EditedDataProps {
  draft: Draft;
  isWrittenBack: boolean;
  onLeave(): void;
}

const PAUSE_MS = 150;

const TABS = [
  { id: 'form', label: 'Form' },
  { id: 'json', label: 'JSON' },
] as const;
const PANEL = 'edit-panel';
type Tab = (typeof TABS)[number]['id'];

/** An edit is made the way it was made last. */
let lastTab: Tab = 'form';

function EditedData({ draft, isWrittenBack, onLeave }: EditedDataProps) {
  const shown = useSettled(draft.text, PAUSE_MS);
  const [tab, setTab] = useState(lastTab);
  if (!draft.isOpen && !draft.isChanged) return null;
  const choose = (next: Tab): void => {
    lastTab = next;
    setTab(next);
  };
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    draft.setIsOpen(false);
    onLeave();
  };
  return (
    <div className={styles.edit}>
      {draft.isOpen && (
        <>
          {!draft.isText && <TabList label="Edit as" items={TABS} selected={tab} panelId={PANEL} onSelect={choose} />}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape of the fields in it */}
          <div
            id={PANEL}
            {...(!draft.isText && { role: 'tabpanel', 'aria-labelledby': tabId(PANEL, tab) })}
            onKeyDown={leave}
          >
            <EditFields key={tab} {...{ draft, isWrittenBack }} tab={draft.isText ? 'json' : tab} />
          </div>
        </>
      )}
      <section aria-label="Changes" className={styles.changes}>
        <h2>Changes</h2>
        {shown === draft.before ? (
          <p className="quiet">No changes yet.</p>
        ) : (
          <DiffView beforeName="Original" afterName="Edited" before={draft.before} after={shown} mode="words" />
        )}
        {draft.isChanged && <Button onClick={draft.discard}>Discard the edit</Button>}
      </section>
    </div>
  );
}

function EditFields({ draft, tab, isWrittenBack }: Pick<EditedDataProps, 'draft' | 'isWrittenBack'> & { tab: Tab }) {
  const fields = useRef<HTMLDivElement>(null);
  // While a field holds unfinished JSON the text names no variant.
  const [variant] = useState(() => variantIn(draft.text) ?? 'Generic');
  useLayoutEffect(() => {
    const field = fields.current?.querySelector<HTMLTextAreaElement>(
      tab === 'form' ? `[name=${EXPECTED}]` : 'textarea',
    );
    field?.focus();
    // Browsers put the cursor at the end, which scrolls the beginning out of sight.
    if (tab === 'json') field?.setSelectionRange(0, 0);
  }, [tab]);
  const { read } = draft;
  const fault = read !== null && 'fault' in read ? read.fault : undefined;
  const isNoKind = isWrittenBack && read !== null && 'data' in read && !isKind(read.data);
  return (
    <div ref={fields}>
      {tab === 'form' ? (
        <DatapointForm isWrapped draft={{ variant, text: draft.text }} onChange={({ text }) => draft.setText(text)} />
      ) : (
        <TextArea
          label={draft.isText ? 'Edited answer' : 'Edited data'}
          rows={draft.isText ? 8 : 24}
          dir="auto"
          value={draft.text}
          fault={fault}
          onChange={({ currentTarget: { value } }) => draft.setText(value)}
        />
      )}
      {isNoKind && <p role="status">This is not a valid datapoint. It can be submitted, but not written back.</p>}
    </div>
  );
}
