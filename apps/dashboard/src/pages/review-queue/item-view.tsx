import type { DatapointKind } from '@spandrel/contract';
import { useMemo } from 'react';
import { MessageText } from '../../features/messages/message-text.js';
import type { MessageReading } from '../../features/messages/message-reading.js';
import { MessageList } from '../../features/messages/message-view.js';
import { useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { contentOf } from './item-content.js';
import styles from './review-queue-page.module.css';

/** What an item asks a person to judge, in the format that the reader has chosen for traces. */
export function ItemView({ data }: { data: DatapointKind }) {
  const { format } = useReadingPreferences();
  const { messages, texts } = useMemo(() => contentOf(data), [data]);
  const reading: MessageReading = { format: format === 'json' ? 'text' : format, wraps: true, sought: '' };
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
