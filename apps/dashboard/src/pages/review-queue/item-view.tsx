import type { DatapointKind } from '@spandrel/contract';
import { useMemo } from 'react';
import { MessageText, MessageList } from '../../features/messages/message-view.js';
import type { MessageReading } from '../../features/messages/message.js';
import { useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { contentOf } from './item-content.js';
import styles from './review-queue-page.module.css';

const NOTHING = { messages: [], texts: [] };

/** What an item asks a person to judge. @param data `null` where it is no datapoint. */
export function ItemView({ data }: { data: DatapointKind | null }) {
  const reading = useItemReading();
  const { messages, texts } = useMemo(() => (data === null ? NOTHING : contentOf(data)), [data]);
  return (
    <>
      {messages.length > 0 && <MessageList messages={messages} reading={reading} />}
      {texts.map(({ name, text }) => (
        <article key={name} aria-label={name} className={styles.text}>
          <h3>{name}</h3>
          {text === '' ? (
            <p className={styles.quiet}>Empty</p>
          ) : (
            <MessageText text={text} label={name} reading={reading} />
          )}
        </article>
      ))}
    </>
  );
}

/** Lines of a text that leave room for the others on one screen. */
const ITEM_LINES = 12;

/**
 * How the texts of an item are shown: in the format that the reader has chosen for traces, where that is one of texts.
 * @param lines of each that are shown before one asks for all of it.
 */
export function useItemReading(lines = ITEM_LINES): MessageReading {
  const { format } = useReadingPreferences();
  return useMemo(
    () => ({ format: format === 'json' ? 'text' : format, wraps: true, sought: '', lines }),
    [format, lines],
  );
}
