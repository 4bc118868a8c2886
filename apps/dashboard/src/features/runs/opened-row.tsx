import { useLayoutEffect, useRef, useMemo, type KeyboardEvent, type ReactNode } from 'react';
import { isConversation } from '@spandrel/contract/browser';
import { useQuery, type QueryKey } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import type { PagedList } from '../list/use-paged-list.js';
import { datapointAddress } from '../addresses.js';
import { SendToReview } from '../send-to-review.js';
import { indexJson } from '../../components/json-tree/json-index.js';
import { readableText } from '../../components/json-tree/written-json.js';
import type { MessageReading } from '../messages/message.js';
import { MessageText, MessageList } from '../messages/message-view.js';
import { messagesOf } from '../messages/messages-of.js';
import { useReadingPreferences } from '../payload/reading-preferences.js';
import { metadataText } from '../metadata-text.js';
import styles from './opened-row.module.css';

interface RowRegionProps {
  title: string;
  shown: string;
  onClose(): void;
  actions?: ReactNode;
  children: ReactNode;
}

/** A list and all of one of its rows: beside it, in a narrow window below. @param row `null` where none is open. */
export function ListWithRow({ row, children }: { row: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.split} data-open={row !== null}>
      <div className={styles.list}>{children}</div>
      {row}
    </div>
  );
}

/** All of one row. Who opens it from the row has the focus here, and again on the row afterwards. */
export function RowRegion({ title, shown, onClose, actions, children }: RowRegionProps) {
  const region = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Somebody who follows a link to the result begins at the top of the page.
    if (document.activeElement?.closest('[role=row]')) region.current?.focus();
  }, [shown]);
  const listed = (): HTMLElement | null => document.querySelector('[role=grid] [role=row][tabindex="0"]');
  const close = (): void => {
    onClose();
    listed()?.focus();
  };
  const moveOn = (event: KeyboardEvent): void => {
    const { key } = event;
    if (event.target !== event.currentTarget || (key !== 'ArrowDown' && key !== 'ArrowUp')) return;
    event.preventDefault();
    listed()?.dispatchEvent(new window.KeyboardEvent('keydown', { key, bubbles: true }));
  };
  useShortcuts([{ keys: 'Escape', label: `Close ${title.toLowerCase()}`, group: title, run: close }]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the list does what its keys do
    <section ref={region} aria-label={title} tabIndex={-1} className={styles.region} onKeyDown={moveOn}>
      <div className={styles.head}>
        <h2>{title}</h2>
        {actions}
        <Button variant="quiet" icon="close" iconOnly onClick={close}>
          Close {title.toLowerCase()}
        </Button>
      </div>
      {children}
    </section>
  );
}

interface OpenedRow<Row> {
  list: Pick<PagedList<Row>, 'readRows' | 'isWaiting'>;
  /** Id of the datapoint that the address opens. */
  item: string | undefined;
  /** Key of the row by itself; it begins with that of the list, so that both are read again together. */
  key: QueryKey;
  read(datapointId: string, signal: AbortSignal): Promise<Row | null>;
}

/** The row that the address opens: from the pages that were read, else by itself. */
export function useOpenedRow<Row extends { datapoint_id: string }>({
  list,
  item,
  key,
  read,
}: OpenedRow<Row>): Row | null {
  const listed = list.readRows.find(({ datapoint_id: id }) => id === item);
  const alone = useQuery({
    queryKey: [...key, item],
    queryFn: ({ signal }) => read(item!, signal),
    enabled: item !== undefined && listed === undefined && !list.isWaiting,
  });
  if (item === undefined) return null;
  return listed ?? alone.data ?? null;
}

/** What can be done with the datapoint of a result. */
export function DatapointActions({ datasetId, id }: { datasetId: string; id: string }) {
  return (
    <>
      <SendToReview key={id} one="datapoint" datasetId={datasetId} chosen={{ rows: [id], count: 1, isMore: false }} />
      <Link to={datapointAddress(datasetId, id)}>Open datapoint</Link>
    </>
  );
}

/** The input of a datapoint as a span shows it: messages as messages, all else in the reader's format. It scrolls when it is long. */
export function RecordedInput({ value }: { value: unknown }) {
  const { format } = useReadingPreferences();
  const shown = useMemo(
    () => (isConversation(value) ? messagesOf(value, null) : readableInput(value, format === 'json')),
    [value, format],
  );
  const reading: MessageReading = { format: format === 'json' ? 'text' : format, wraps: true, sought: '' };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys
    <div role="group" aria-label="Input" tabIndex={0} className={styles.recorded} dir="auto">
      {typeof shown === 'string' ? (
        <MessageText text={shown} label="Input" reading={reading} />
      ) : (
        <MessageList messages={shown} reading={reading} />
      )}
    </div>
  );
}

function readableInput(value: unknown, isJson: boolean): string {
  const text = metadataText(value, 2);
  const index = isJson || typeof value === 'string' ? null : indexJson(text);
  return index === null ? text : readableText(text, index, 0);
}

/** A recorded text as it is, which scrolls when it is long. */
export function TextBlock({ name, text }: { name: string; text: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys
    <pre role="group" aria-label={name} tabIndex={0} className={styles.text} dir="auto">
      {text}
    </pre>
  );
}

/** Why a run, a result or a call failed, as the service says it. */
export function RunError({ children }: { children: string }) {
  return (
    <div role="group" aria-label="Error" className={styles.error} dir="auto">
      {children}
    </div>
  );
}
