import type { SpanOutline } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { useDeferredValue, useRef, useState } from 'react';
import { PageActions } from '../../components/page-actions.js';
import { copyAs, downloadText } from '../../components/save-text.js';
import { CheckboxField } from '../../components/field.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import type { OpenPayload } from '../../features/payload/payload-client.js';
import type { Format, Section } from '../../features/payload/payload-types.js';
import { setReadingPreferences, useReadingPreferences } from '../../features/payload/reading-preferences.js';
import { useAsked } from '../../features/payload/use-span-payload.js';
import { useCapabilities } from '../../features/browser-session.js';
import { notifyError } from '../../components/notify.js';
import { AddToDataset } from '../../features/add-to-dataset/add-to-dataset.js';
import { isLlmCall } from '../../features/trace-span.js';
import { FindField, MessagesPanel, SectionPanel } from './section-panel.js';
import type { Tab } from './trace-search.js';
import { spanAddress } from './use-trace-view.js';
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
  const shown = matches?.[at % Math.max(1, matches.length)]?.from ?? -1;
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
        <div className={styles.find}>
          <FindField
            label="Find in text"
            value={sought}
            onChange={(text) => {
              setSought(text);
              setAt(0);
            }}
            onStep={step}
          />
          <span role="status" aria-label="Found in text" className={styles.found}>
            {sought !== '' && (count === 0 ? 'None' : `${formatCount((at % count) + 1)} of ${formatCount(count)}`)}
          </span>
        </div>
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

function SpanActions(props: { span: SpanOutline; payload: OpenPayload; section: Section; format: Format }) {
  const { span, payload, section, format } = props;
  const capabilities = useCapabilities();
  const shownText = async (): Promise<string> => {
    return (await payload.ask(format === 'json' ? 'json' : 'text', { section })).text;
  };
  const download = (): void => {
    const [ending, type] = format === 'json' ? ['json', 'application/json'] : ['txt', 'text/plain'];
    shownText().then(
      (text) => downloadText(`${span.name}-${section}.${ending}`, text, type),
      (error: Error) => notifyError('The text could not be saved', error),
    );
  };
  const url = isLlmCall(span) ? capabilities?.gateway_url : null;
  const askCurl = (): Promise<string> => payload.ask('curl', { url: url!, isCloud: capabilities?.mode === 'cloud' });
  const copyLink = (): void => void copyAs('the link to the span', spanAddress(span));
  const [isAdding, setIsAdding] = useState(false);
  return (
    <div className={styles.buttons}>
      <PageActions
        group="Span"
        actions={[
          { label: 'Copy text', short: 'Copy', icon: 'copy', run: () => void copyAs('the text', shownText()) },
          { label: 'Download text', short: 'Download', icon: 'download', run: download },
          ...(url
            ? ([{ label: 'Copy as curl', icon: 'copy', run: () => void copyAs('the command', askCurl()) }] as const)
            : []),
          { label: 'Copy span link', icon: 'link', keys: 'c', run: copyLink },
          { label: 'Add to dataset', icon: 'plus', keys: 'd', writes: true, run: () => setIsAdding(true) },
        ]}
      />
      {isAdding && <AddToDataset spanId={span.id} payload={payload} onClose={() => setIsAdding(false)} />}
    </div>
  );
}
