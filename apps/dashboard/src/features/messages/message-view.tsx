import { useState } from 'react';
import type { MessageReading } from './message-reading.js';
import { MessageText } from './message-text.js';
import { titleOf, type Message, type MessagePart, type ToolCallPart } from './message.js';
import styles from './messages.module.css';

/** The messages of a conversation, an article each. */
export function MessageList({ messages, reading }: { messages: readonly Message[]; reading: MessageReading }) {
  if (messages.length === 0) return <p className={styles.nothing}>This call was recorded without its messages.</p>;
  return (
    <div className={styles.list}>
      {messages.map((message, index) => (
        // Messages of one conversation have nothing but their order to be told apart by.
        // oxlint-disable-next-line react/no-array-index-key
        <MessageView key={index} message={message} reading={reading} />
      ))}
    </div>
  );
}

/** One message: `User message` and what was said. */
function MessageView({ message, reading }: { message: Message; reading: MessageReading }) {
  const title = titleOf(message);
  return (
    <article aria-label={title} className={styles.message} data-answer={message.isAnswer || undefined}>
      <h3 className={styles.role}>
        {title}
        {message.name !== null && <span className={styles.name}> {message.name}</span>}
        {message.isAnswer && <span className={styles.name}> answer</span>}
      </h3>
      {message.parts.length === 0 && <p className={styles.nothing}>Empty</p>}
      {message.parts.map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <PartView key={index} part={part} title={title} reading={reading} />
      ))}
    </article>
  );
}

interface PartProps {
  part: MessagePart;
  title: string;
  reading: MessageReading;
}

function PartView({ part, title, reading }: PartProps) {
  switch (part.type) {
    case 'text':
      return <MessageText text={part.text} label={title} reading={reading} />;
    case 'reasoning':
      return (
        <details className={styles.reasoning}>
          <summary>Reasoning</summary>
          <MessageText text={part.text} label="Reasoning" reading={reading} />
        </details>
      );
    case 'tool-call':
      return <ToolCall part={part} reading={reading} />;
    case 'tool-result':
      return (
        <div role="group" aria-label="Tool result" className={styles.tool}>
          <p className={styles.toolName}>Tool result{part.id !== null && <code> {part.id}</code>}</p>
          {part.parts.map((inner, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <PartView key={index} part={inner} title="Tool result" reading={reading} />
          ))}
        </div>
      );
    case 'image':
      return <RecordedImage source={part.source} />;
    case 'remote-image':
      return <p className={styles.notLoaded}>Image not loaded: {part.url}</p>;
    case 'json':
      return <MessageText text={part.json} label={title} reading={{ ...reading, format: 'text' }} />;
  }
}

function ToolCall({ part, reading }: { part: ToolCallPart; reading: MessageReading }) {
  return (
    <div role="group" aria-label={`Tool call ${part.name}`} className={styles.tool}>
      <p className={styles.toolName}>
        Tool call <strong>{part.name}</strong>
        {part.id !== null && <code> {part.id}</code>}
      </p>
      {part.arguments !== '' && (
        <MessageText text={part.arguments} label="Arguments" reading={{ ...reading, format: 'text' }} />
      )}
    </div>
  );
}

/** An image whose bytes are in the recording. One that was cut when it was recorded cannot be shown. */
function RecordedImage({ source }: { source: string }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) return <p className={styles.notLoaded}>Image not loaded: {source.slice(0, 60)}…</p>;
  return <img src={source} alt="Recorded image" className={styles.image} onError={() => setIsBroken(true)} />;
}
