import { useEffect, useRef } from 'react';
import { FaultNotice } from '../../components/fault-notice.js';
import type { MessageReading } from '../../features/messages/message-reading.js';
import { MessageList } from '../../features/messages/message-view.js';
import type { OpenPayload } from '../../features/payload/payload-client.js';
import { useAsked } from '../../features/payload/use-span-payload.js';
import styles from './span-details.module.css';

interface MessagesPanelProps {
  payload: OpenPayload;
  reading: MessageReading;
  /** Told how many matches are marked. */
  onMarked(count: number): void;
}

const NOTHING = {};

/** The conversation of a call of a model. */
export function MessagesPanel({ payload, reading, onMarked }: MessagesPanelProps) {
  const { answer: messages, error } = useAsked(payload, 'messages', NOTHING);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    onMarked(panel.current?.querySelectorAll('mark').length ?? 0);
  }, [messages, reading.sought, reading.format, onMarked]);
  return (
    // What scrolls can have the focus, so that keys can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={panel} role="group" aria-label="Conversation" tabIndex={0} className={styles.conversation}>
      {error !== null && <FaultNotice title="The messages could not be read" error={error} />}
      {messages !== null && <MessageList messages={messages} reading={reading} />}
    </div>
  );
}
