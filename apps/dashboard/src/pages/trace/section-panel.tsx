import { useMemo, useState, useEffect, useRef } from 'react';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/page-parts.js';
import { JsonTree } from '../../components/json-tree/json-tree.js';
import { rowStarts } from '../../components/text-view/text-rows.js';
import { TextView } from '../../components/text-view/text-view.js';
import { ShownMarkdown, MessageList } from '../../features/messages/message-view.js';
import type { OpenPayload } from '../../features/payload/payload-client.js';
import type { Format, Section } from '../../features/payload/payload-types.js';
import { useAsked } from '../../features/payload/use-span-payload.js';
import type { MessageReading } from '../../features/messages/message.js';
import { TextField, type TextFieldProps } from '../../components/field.js';
import styles from './span-details.module.css';

interface SectionPanelProps {
  payload: OpenPayload;
  section: Section;
  format: Format;
  wraps: boolean;
  sought: string;
  shownOffset: number;
}

const LABELS: Readonly<Record<Section, string>> = {
  input: 'Input',
  output: 'Output',
  metadata: 'Metadata',
  call: 'Input and output',
  raw: 'Span',
};

/** One part of a span in one format. */
export function SectionPanel(props: SectionPanelProps) {
  const { payload, section, format, sought } = props;
  if (payload.summary.lengths[section] === 0) {
    return <p className="quiet">{LABELS[section]}: nothing was recorded.</p>;
  }
  if (format === 'json') return <JsonPanel {...props} />;
  // Matches are marked in the text, which markdown is not.
  return format === 'rendered' && sought === '' ? <RenderedPanel {...props} /> : <TextPanel {...props} />;
}

function RenderedPanel(props: SectionPanelProps) {
  const { payload, section } = props;
  const { answer } = useAsked(payload, 'markdown', { section });
  if (answer === null) return <TextPanel {...props} />;
  return (
    // What scrolls can have the focus, so that keys can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="group" aria-label={LABELS[section]} tabIndex={0} className={styles.conversation}>
      <ShownMarkdown text={answer} />
    </div>
  );
}

function TextPanel({ payload, section, wraps, sought, shownOffset }: SectionPanelProps) {
  const { answer, error } = useAsked(payload, 'text', { section });
  if (error !== null) return <FaultNotice title="The text could not be read" error={error} />;
  if (answer === null) return null;
  return <TextView label={LABELS[section]} {...answer} {...{ wraps, sought, shownOffset }} />;
}

function JsonPanel({ payload, section, wraps, sought, shownOffset }: SectionPanelProps) {
  const { answer, error } = useAsked(payload, 'json', { section });
  const [whole, setWhole] = useState<string | null>(null);
  if (error !== null) return <FaultNotice title="The JSON could not be read" error={error} />;
  if (answer === null) return null;
  return (
    <>
      <JsonTree label={LABELS[section]} {...answer} {...{ wraps, sought, shownOffset }} onShowAll={setWhole} />
      {whole !== null && <WholeText text={whole} wraps={wraps} sought={sought} onClose={() => setWhole(null)} />}
    </>
  );
}

function WholeText(props: Pick<SectionPanelProps, 'wraps' | 'sought'> & { text: string; onClose(): void }) {
  const { text, wraps, sought, onClose } = props;
  const starts = useMemo(() => rowStarts(text), [text]);
  return (
    <div role="group" aria-label="Whole text" className={styles.whole}>
      <Button onClick={onClose}>Show less</Button>
      <TextView label="Text of the value" {...{ text, starts, wraps, sought }} shownOffset={-1} />
    </div>
  );
}

const NOTHING = {};

/** The conversation of a call of a model. @param props.onMarked is called with how many matches are marked. */
export function MessagesPanel(props: { payload: OpenPayload; reading: MessageReading; onMarked(count: number): void }) {
  const { payload, reading, onMarked } = props;
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

interface FindFieldProps extends Pick<TextFieldProps, 'ref' | 'label' | 'className'> {
  value: string;
  onChange(sought: string): void;
  onStep(direction: 1 | -1): void;
}

/** A search box: Enter goes to the next match, Shift+Enter back. */
export function FindField({ label, value, onChange, onStep, ...rest }: FindFieldProps) {
  return (
    <TextField
      {...{ label, value, ...rest }}
      isLabelHidden
      type="search"
      placeholder={label}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
        else if (event.key === 'Escape' && value !== '') onChange('');
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
