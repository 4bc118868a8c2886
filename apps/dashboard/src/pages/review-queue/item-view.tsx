import type { QueueItemResource } from '@spandrel/contract';
import { useMemo } from 'react';
import { BASE } from '../../api/project-base.js';
import { MessageText, MessageList } from '../../features/messages/message-view.js';
import type { MessageReading } from '../../features/messages/message.js';
import { useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { FaultNotice } from '../../components/page-parts.js';
import { targetOf, type useItemContent } from './target-content.js';
import styles from './review-queue-page.module.css';

type ItemViewProps = ReturnType<typeof useItemContent> & { item: QueueItemResource };

/** What an item asks a person to judge, and the way to all of it where it is no datapoint. */
export function ItemView({ item, content, error, retry }: ItemViewProps) {
  const reading = useItemReading();
  const target = targetOf(item);
  if (error) return <FaultNotice title={`The ${target?.word} could not be loaded`} error={error} onRetry={retry} />;
  if (content === null) return null;
  const { messages, texts } = content;
  return (
    <>
      {target && (
        <p className="quiet">
          {/* In a window of its own: the item is released when its page is left. */}
          <a href={BASE + target.to} target="_blank" rel="noopener">
            Open {target.word}
          </a>
        </p>
      )}
      {target && messages.length === 0 && texts.length === 0 && <p>Nothing was recorded of this {target.word}.</p>}
      {messages.length > 0 && <MessageList messages={messages} reading={reading} />}
      {texts.map(({ name, text }) => (
        <article key={name} aria-label={name} className={styles.text}>
          <h3>{name}</h3>
          {text === '' ? <p className="quiet">Empty</p> : <MessageText text={text} label={name} reading={reading} />}
        </article>
      ))}
    </>
  );
}

/** Lines of a text that leave room for the others on one screen. */
const ITEM_LINES = 12;

/** How the texts of an item are shown: as the reader chose for traces. @param lines shown before one asks for all. */
export function useItemReading(lines = ITEM_LINES): MessageReading {
  const { format } = useReadingPreferences();
  return useMemo(
    () => ({ format: format === 'json' ? 'text' : format, wraps: true, sought: '', lines }),
    [format, lines],
  );
}
