import type { SpanOutline } from '@spandrel/contract';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { CheckboxField } from '../../components/field.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import type { OpenPayload } from '../../features/payload/payload-client.js';
import type { Format, Section } from '../../features/payload/payload-protocol.js';
import { setReadingPreferences, useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { useAsked } from '../../features/payload/use-span-payload.js';
import { FindInText } from './find-in-text-field.js';
import { MessagesPanel } from './messages-panel.js';
import { SectionPanel } from './section-panel.js';
import { SpanActions } from './span-actions.js';
import type { Tab } from './trace-search.js';
import styles from './span-details.module.css';

const FORMAT_CHOICES: readonly { value: Format; label: string }[] = [
  { value: 'rendered', label: 'Rendered' },
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
];

/** The texts of a span in the format that the reader has chosen, with what can be done with them. */
export function SpanTexts({ span, payload, tab }: { span: SpanOutline; payload: OpenPayload; tab: Tab }) {
  const { format, wraps } = useReadingPreferences();
  const [sought, setSought] = useState('');
  const [at, setAt] = useState(0);
  const panel = useRef<HTMLDivElement>(null);
  const quickSought = useDeferredValue(sought);
  const isConversation = tab === 'messages' && format !== 'json';
  const section: Section = tab === 'messages' ? 'call' : tab;
  const { answer: matches } = useAsked(
    payload,
    'find',
    quickSought === '' || isConversation ? null : { section, format, sought: quickSought },
  );
  const [marked, setMarked] = useState(0);
  const count = isConversation ? marked : (matches?.length ?? 0);
  const shown = useMemo(() => matches?.[at % Math.max(1, matches.length)]?.from ?? -1, [matches, at]);
  const step = (direction: 1 | -1): void => {
    if (count === 0) return;
    const next = (at + direction + count) % count;
    setAt(next);
    if (isConversation) panel.current?.querySelectorAll('mark')[next]?.scrollIntoView({ block: 'center' });
  };
  return (
    <>
      <div className={styles.reading}>
        <ChoiceGroup
          label="Format"
          choices={FORMAT_CHOICES}
          value={format}
          onChange={(chosen) => {
            setReadingPreferences({ format: chosen });
            setAt(0);
          }}
        />
        <CheckboxField
          label="Wrap lines"
          checked={wraps}
          onChange={(event) => setReadingPreferences({ wraps: event.currentTarget.checked })}
        />
        <FindInText
          sought={sought}
          at={count === 0 ? -1 : at % count}
          count={count}
          onChange={(text) => {
            setSought(text);
            setAt(0);
          }}
          onStep={step}
        />
      </div>
      <SpanActions {...{ span, payload, section, format }} />
      <div ref={panel} className={styles.texts}>
        {isConversation ? (
          <MessagesPanel payload={payload} reading={{ format, wraps, sought: quickSought }} onMarked={setMarked} />
        ) : (
          <SectionPanel {...{ payload, section, format, wraps }} sought={quickSought} shownOffset={shown} />
        )}
      </div>
    </>
  );
}
