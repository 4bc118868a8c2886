import { useMemo, useState } from 'react';
import { formatCount } from '@spandrel/contract/browser';
import { findInText } from '../../components/text-view/find-in-text.js';
import { foldedText } from '../../components/text-view/fold-text.js';
import { MarkedText } from '../../components/text-view/marked-text.js';
import { rowStarts } from '../../components/text-view/text-rows.js';
import { TextView } from '../../components/text-view/text-view.js';
import { ShownMarkdown } from './shown-markdown.js';
import type { MessageReading } from './message-reading.js';
import styles from './messages.module.css';

/** Markdown of more than this takes a browser too long to lay out; it is shown as text. */
const MARKDOWN_MAX = 100_000;
/** Longer texts are shown in a pane of their own, whose rows exist while they are near the screen. */
const WHOLE_MAX = 60_000;

/** A text of a message, folded when it is long. */
export function MessageText({ text, label, reading }: { text: string; label: string; reading: MessageReading }) {
  const [isWhole, setIsWhole] = useState(false);
  const folded = useMemo(() => foldedText(text), [text]);
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
