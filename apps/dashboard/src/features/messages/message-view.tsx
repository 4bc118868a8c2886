import { formatCount } from '@spandrel/contract/browser';
import { useState, useMemo, lazy, Suspense } from 'react';
import { findInText, foldedText, foldedToLines, rowStarts } from '../../components/text-view/text-rows.js';
import { MarkedText, TextView } from '../../components/text-view/text-view.js';
import { titleOf, type MessageReading, type Message, type ShownPart, type ToolCallPart } from './message.js';
import styles from './message-view.module.css';

interface MessageListProps {
  messages: readonly Message[];
  reading: MessageReading;
}

/**
 * The messages of a conversation, an article each. The last question and the answer stand first: what comes before the
 * question is shown when it is asked for, and many messages between the two likewise.
 */
export function MessageList({ messages, reading }: MessageListProps) {
  if (messages.length === 0) return <p className={styles.nothing}>This call was recorded without its messages.</p>;
  const question = lastQuestionAt(messages);
  const last = Math.max(question + 1, messages.length - 1);
  return (
    <div className={styles.list}>
      <Messages
        messages={messages.slice(0, question)}
        reading={reading}
        folds="earlier messages"
        most={reading.isBrief ? 0 : EARLIER_MAX}
      />
      <Messages messages={messages.slice(question, question + 1)} reading={reading} />
      <Messages
        messages={messages.slice(question + 1, last)}
        reading={reading}
        folds="messages between"
        most={BETWEEN_MAX}
      />
      <Messages messages={messages.slice(last)} reading={reading} />
    </div>
  );
}

/** Earlier messages that are shown: an instruction alone, which is folded by itself. */
export const EARLIER_MAX = 1;
/** Messages between question and answer that are shown: more are the steps of an agent. */
const BETWEEN_MAX = 6;

/** Where the last message of a user that has a text is, those of the output not counted; the first message where there is none. */
const lastQuestionAt = (messages: readonly Message[]): number =>
  Math.max(
    0,
    messages.findLastIndex(
      ({ role, isAnswer, parts }) => !isAnswer && role === 'user' && parts.some(({ type }) => type === 'text'),
    ),
  );

interface MessagesProps extends MessageListProps {
  /** What they are called where more than `most` of them are folded. */
  folds?: string;
  most?: number;
}

function Messages({ messages, reading, folds, most = messages.length }: MessagesProps) {
  const [isWhole, setIsWhole] = useState(false);
  const isFolded = messages.length > most && reading.sought === '';
  return (
    <>
      {isFolded && (
        <button type="button" className={styles.more} aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? `Hide ${folds}` : `Show ${folds} (${formatCount(messages.length)})`}
        </button>
      )}
      {(!isFolded || isWhole) &&
        messages.map((message, index) => (
          // Messages of one conversation have nothing but their order to be distinguished by.
          // oxlint-disable-next-line react/no-array-index-key
          <MessageView key={index} message={message} reading={reading} />
        ))}
    </>
  );
}

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
        <PartView key={index} {...{ part, title, reading }} isInstruction={INSTRUCTING.has(message.role)} />
      ))}
    </article>
  );
}

/** Roles whose messages are long and the same in every call. */
const INSTRUCTING: ReadonlySet<string> = new Set(['system', 'developer']);

interface PartViewProps {
  part: ShownPart;
  title: string;
  reading: MessageReading;
  isInstruction?: boolean;
}

function PartView({ part, title, reading, isInstruction = false }: PartViewProps) {
  switch (part.type) {
    case 'text':
      return <MessageText text={part.text} label={title} reading={reading} isShort={isInstruction} />;
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

/** Markdown of more than this takes a browser too long to lay out; it is shown as text. */
const MARKDOWN_MAX = 100_000;
/** Longer texts are shown in a pane of their own, whose rows exist while they are near the screen. */
const WHOLE_MAX = 60_000;

interface MessageTextProps {
  text: string;
  label: string;
  reading: MessageReading;
  /** Whether two lines are enough of a long one. */
  isShort?: boolean;
}

/** A text of a message, folded when it is long. */
export function MessageText({ text, label, reading, isShort = false }: MessageTextProps) {
  const [isWhole, setIsWhole] = useState(false);
  const { lines } = reading;
  const folded = useMemo(() => (isShort ? foldedToLines(text) : foldedText(text, lines)), [text, isShort, lines]);
  const hidesMatch = useMemo(
    () => folded !== null && reading.sought !== '' && findInText(text.slice(folded.length), reading.sought).length > 0,
    [folded, reading.sought, text],
  );
  const isOpen = isWhole || hidesMatch;
  const shown = folded === null || isOpen ? text : folded;
  return (
    <>
      <ShownText text={shown} label={label} reading={reading} />
      {folded !== null && !hidesMatch && (
        <button type="button" className={styles.more} aria-expanded={isOpen} onClick={() => setIsWhole(!isOpen)}>
          {isOpen ? 'Show less' : `Show all (${formatCount(text.length)} characters)`}
        </button>
      )}
    </>
  );
}

function ShownText({ text, label, reading }: { text: string; label: string; reading: MessageReading }) {
  const { format, wraps, sought } = reading;
  const starts = useMemo(() => (text.length > WHOLE_MAX ? rowStarts(text) : null), [text]);
  if (starts !== null) {
    return (
      <div className={styles.pane}>
        <TextView {...{ label, text, starts, wraps, sought }} shownOffset={-1} />
      </div>
    );
  }
  if (format === 'rendered' && sought === '' && text.length <= MARKDOWN_MAX) return <ShownMarkdown text={text} />;
  return (
    <div className={styles.text} data-wraps={wraps} dir="auto">
      <MarkedText text={text} sought={sought} />
    </div>
  );
}

const Markdown = lazy(async () => ({ default: (await import('./markdown.js')).Markdown }));

/** A text as markdown. Few readers ask for it, so that its code is fetched then; meanwhile the text is there as it is. */
export function ShownMarkdown({ text }: { text: string }) {
  const plain = (
    <div className={styles.text} data-wraps={true} dir="auto">
      {text}
    </div>
  );
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  );
}
