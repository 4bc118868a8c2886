import type { DatapointKind } from '@spandrel/contract';
import { useMemo } from 'react';
import { MessageText } from '../../features/messages/message-text.js';
import { MessageList } from '../../features/messages/message-view.js';
import { contentOf } from './item-content.js';
import styles from './review-queue-page.module.css';
import { useItemReading } from './use-item-reading.js';

/** What an item asks a person to judge. */
export function ItemView({ data }: { data: DatapointKind }) {
  const reading = useItemReading();
  const { messages, texts } = useMemo(() => contentOf(data), [data]);
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
