import { useMemo } from 'react';
import { indexJson } from '../../components/json-tree/json-index.js';
import { readableText } from '../../components/json-tree/written-json.js';
import { isObject } from '../messages/lenient.js';
import { MessageText } from '../messages/message-text.js';
import type { MessageReading } from '../messages/message-reading.js';
import { MessageList } from '../messages/message-view.js';
import { messagesOf } from '../messages/messages-of.js';
import { useReadingPreferences } from '../payload/reading-preferences.js';
import { wholeText } from './data-text.js';
import styles from './text-block.module.css';

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

const isConversation = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && typeof one['role'] === 'string');

function readableInput(value: unknown, isJson: boolean): string {
  const text = wholeText(value);
  const index = isJson || typeof value === 'string' ? null : indexJson(text);
  return index === null ? text : readableText(text, index, 0);
}
